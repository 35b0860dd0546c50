"""What a report is filed with."""

from hashlib import sha256
from pathlib import Path

import pytest

from calibrant import binary, report
from calibrant.reporting.evidence import Origin, evidence, source_files

VIEW = binary([0.2, 0.7], [0, 1])


def test_files_have_a_name_a_size_and_a_digest_and_no_folder(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text(f"label,p\n{name}")
    found = source_files(tmp_path, "reported on")
    assert [each.name for each in found] == ["a.csv", "b.csv"]
    assert found[0].size == 13
    assert found[0].sha256 == sha256(b"label,p\na.csv").hexdigest()
    (stream,) = source_files(Path("-"), "fitted on")
    assert (stream.role, stream.name, stream.sha256) == ("fitted on", "standard input", None)


def test_what_is_not_known_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    names = [each.name for each in evidence(None, 0, None).facts]
    assert names == ["seed", "made with", "date"]
    assert evidence(None, 0, None).facts[-1].words == "1970-01-02"


def test_many_columns_are_told_by_their_ends() -> None:
    names = tuple(f"prob_{i}" for i in range(1000))
    (fact,) = (
        each for each in evidence(None, 0, Origin(columns=names)).facts if "column" in each.name
    )
    assert fact.words == (
        "prob_0, prob_1, prob_2, prob_3, prob_4, prob_5, ..., prob_999 (1,000 columns)"
    )


def test_title_and_evidence_stand_on_the_terminal_and_in_the_dictionary() -> None:
    found = report(VIEW, title="Model 7", seed=5)
    assert str(found).startswith("Model 7\n")
    assert "seed       5" in str(found)
    told = found.to_dict()
    assert (told["evidence"]["title"], told["evidence"]["seed"]) == ("Model 7", 5)
    assert isinstance(told["finding"], str)
    assert isinstance(told["verdict"], str)
    assert 0 < told["p_value"] <= 1
    assert told["sizes"]["claimed"] == pytest.approx(0.45)
