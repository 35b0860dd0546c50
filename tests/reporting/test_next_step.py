"""What to do next: commands are whole, and name the files and columns that were read."""

from calibrant import Temperature, binary, report, samples
from calibrant.reporting.evidence import Origin, SourceFile
from calibrant.reporting.next_step import next_step

OFF = binary([0.9] * 400, [True] * 240 + [False] * 160)
READ = Origin(path="a b.csv", reading="--label y")


def test_without_other_rows_the_command_asks_for_some() -> None:
    assert next_step(report(OFF, origin=READ)).command == (
        "calibrant fit VALIDATION_ROWS.csv --label y -o map.safetensors && "
        "calibrant apply map.safetensors 'a b.csv' --label y -o mended.csv"
    )
    step = next_step(report(OFF))
    assert step.command == "calibrant fit VALIDATION_ROWS.csv -o map.safetensors"


def test_with_other_rows_it_fits_the_best_map_on_them() -> None:
    fit_on, test = samples.load("c10-resnet18")
    fit_on, test = fit_on[:1000], test[:1500]
    other = (SourceFile("fitted on", "val.npz", 1, "0"),)
    of_file = Origin(path="test.npz", fit_on="val.npz", files=other)
    of_split = Origin(path="both.npz", fit_on="val")
    commands = [
        next_step(report(test, fit_on=fit_on, families=[Temperature()], origin=each)).command
        for each in (of_file, of_split, None)
    ]
    fit = "calibrant fit --family temperature {} -o map.safetensors"
    applied = " && calibrant apply map.safetensors {0} -o mended.npz"
    assert commands == [
        fit.format("val.npz") + applied.format("test.npz"),
        fit.format("both.npz --split val") + applied.format("both.npz"),
        fit.format("FILE"),
    ]


def test_where_nothing_is_to_be_done_there_is_no_command() -> None:
    step = next_step(report(binary([0.3], [1])))
    assert step.command is None
    assert step.words == "Report on more rows before you trust them."
