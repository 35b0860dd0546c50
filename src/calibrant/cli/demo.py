"""calibrant demo: a report on predictions that come with the package, and the commands that made it."""

import shlex
from importlib.resources import as_file, files
from itertools import count
from pathlib import Path
from typing import Final

import calibrant

from ..inputs.paths import writable
from .commands import command
from .options import PAGES, WROTE_PAGE, HtmlFile
from .origin import origin_of_sample
from .outputs import OutputOptions

SAMPLE: Final = "c100-resnet18"
TITLE: Final = "A ResNet-18 trained on CIFAR-100: can its probabilities be trusted?\n"
SHORT_TITLE: Final = "ResNet-18 on CIFAR-100"
STEPS: Final = """
The same, step by step:
  calibrant report {sample} --fit-on val --html {page}
  calibrant fit {sample} -o map.safetensors
  calibrant apply map.safetensors {sample} -o mended.npz
  calibrant report mended.npz

Your own predictions, in a file with columns label, prob_cat, prob_dog, ...:
  calibrant report predictions.csv --html report.html"""


@command("demo", "demo --html page.html")
def demo(*, html: HtmlFile = None, output: OutputOptions) -> None:
    """Report on predictions that come with calibrant, and mend them.

    It writes report.html, or report-2.html where that is taken, and so on.
    """
    target = writable(_free_page() if html is None else html, PAGES)
    fit_on, test = calibrant.samples.load(SAMPLE)
    with as_file(files(calibrant.samples) / f"{SAMPLE}.npz") as path:
        origin = origin_of_sample(path, "val")
        found = calibrant.report(test, fit_on=fit_on, title=SHORT_TITLE, origin=origin)
        found.to_html(target)
        steps = STEPS.format(sample=shlex.quote(str(path)), page=shlex.quote(str(target)))
    told = {**found.to_dict(), "html": str(target)}
    output.tell(told, TITLE, found, f"\n{WROTE_PAGE.format(target)}", steps, wrote=target)


def _free_page() -> Path:
    """A page that is not there yet, in this folder: nothing that is there is lost."""
    for i in count(1):
        path = Path("report.html" if i == 1 else f"report-{i}.html")
        if not path.exists():
            return path
    raise AssertionError
