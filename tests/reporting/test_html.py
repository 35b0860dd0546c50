"""The page: one file, whole or not at all, that says what the report says and in which no name becomes markup."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from shared_claims import claims

from calibrant import Predictions, Temperature, binary, from_logits, from_probs, report, samples
from calibrant.reporting.html import MEANINGS, page
from calibrant.reporting.measure_table import OF_CLAIMS
from calibrant.reporting.numbers_table import numbers_csv
from calibrant.reporting.units import shown_briefly

RNG = np.random.default_rng(0)
NAMES = [
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "<b>bold</b>", "a & b", "{{ 7 * 7 }}",
    "`tick`", '" onfocus="alert(3)', "<!--",
]  # fmt: skip


class Reader(HTMLParser):
    """The tags of a page, its words, and its scripts by turns."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.open = "" if tag in ("script", "style") else self.open

    def handle_data(self, data: str) -> None:
        if self.open == "script":
            self.scripts[-1] += data
        elif self.open != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def sample() -> tuple[Predictions, Predictions]:
    fit_on, pred = samples.load("c10-resnet18")
    return fit_on[:1000], pred[:2000]


@pytest.fixture(scope="module")
def odd() -> Reader:
    pred = from_logits(RNG.normal(size=(80, 8)), RNG.integers(0, 8, 80), classes=NAMES)
    by = {"<i>by</i>": np.where(np.arange(80) % 2, "<u>x</u>", "</table>")}
    return Reader(page(report(pred, fit_on=pred, families={"<s>T</s>": Temperature()}, by=by)))


def test_the_page_says_what_the_report_says(sample: tuple[Predictions, Predictions]) -> None:
    fit_on, pred = sample
    found = report(pred, fit_on=fit_on, by={"half": np.arange(2000) % 2})
    read = Reader(page(found))
    for words in (found.headline, found.about, found.verdict, found.command, *found.warnings):
        assert str(words).replace("`", "") in read.text.replace(" .", ".")
    for tile in found.tiles:
        assert tile.value is not None
        assert f"{tile.name} {shown_briefly(tile.value, tile.unit)}" in read.text
        assert shown_briefly(tile.right_high, tile.unit) in read.text
    for row in found.rows:
        assert row.name in read.text
        assert row.value is not None
        assert (
            f"{100 * row.value:.2f}" if row.unit in ("%", "points") else f"{row.value:.4f}"
        ) in read.text
    for each in found.standings:
        assert f"{each.name} " in read.text
        assert f"{each.nll:.4f}" in read.text
    for group in found.groups:
        assert f"{100 * group.ks:.2f}" in read.text
    assert json.loads(read.scripts[0])["claims"] == [
        "as they are",
        "after temperature",
        "after smooth",
    ]
    for fact in (*found.facts, *found.evidence.facts):
        assert f"{fact.name} {fact.words}" in read.text


def test_numbers_are_there_to_download(sample: tuple[Predictions, Predictions]) -> None:
    found = report(sample[1][:300])
    links = {
        str(attributes["download"]): str(attributes["href"]).partition(",")[2]
        for _, attributes in Reader(page(found)).tags
        if "download" in attributes
    }
    numbers = json.loads(base64.b64decode(links["calibration.json"]))
    expected = json.loads(json.dumps(found.to_dict()))
    tiles = numbers.pop("tiles")
    assert numbers == expected
    assert [each["name"] for each in tiles] == [each.name for each in found.tiles]
    assert base64.b64decode(links["calibration.csv"]).decode() == numbers_csv(found)


def test_every_number_is_explained_in_a_sentence() -> None:
    pred = from_logits(RNG.normal(size=(30, 3)), RNG.integers(0, 3, 30))
    names = {row.name for x in (pred, claims(30)) for row in report(x).rows}
    assert names == set(MEANINGS)
    assert {each.name for each in OF_CLAIMS} < names
    assert all(words.endswith(".") and words[0].isupper() for words in MEANINGS.values())


def test_intervals_are_shown_and_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.reporting.measure_table.OF_CLAIMS", OF_CLAIMS[:2])
    monkeypatch.setattr("calibrant.reporting.diagrams.BAND_DRAWS", 20)
    found = report(claims(300), intervals=True)
    text = Reader(page(found)).text
    for row in found.rows:
        assert row.low is not None
        assert row.high is not None
        ends = (
            f"{100 * end:.2f}" if row.unit in ("%", "points") else f"{end:.4f}"
            for end in (row.low, row.high)
        )
        assert " to ".join(ends) in text
    assert "Under each number is its 95% interval" in text
    assert "come from 1000 draws" in text


def test_no_name_becomes_markup(odd: Reader) -> None:
    assert {tag for tag, _ in odd.tags} & {"img", "b", "i", "u", "s"} == set()
    assert len(odd.scripts) == 2
    assert not any(name.startswith("on") for _, attributes in odd.tags for name in attributes)
    for name in NAMES:
        assert " ".join(name.split()) in odd.text
    for name in ("<i>by</i>", "<u>x</u>", "</table>", "<s>T</s>"):
        assert name in odd.text
    kept = {view["name"] for view in json.loads(odd.scripts[0])["views"]}
    assert set(NAMES) < kept


def test_only_the_pages_own_scripts_may_run_and_nothing_may_be_fetched(odd: Reader) -> None:
    (policy,) = [attributes["content"] for _, attributes in odd.tags if "http-equiv" in attributes]
    assert policy is not None
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in odd.scripts[1:]
    ]
    assert policy.startswith("default-src 'none';")
    assert policy.endswith("script-src " + " ".join(f"'sha256-{each}'" for each in hashes))
    for tag, attributes in odd.tags:
        assert "src" not in attributes
        assert tag != "link"
        assert str(attributes.get("href", "#")).startswith(("#", "data:"))


def test_headings_and_controls_have_names(odd: Reader) -> None:
    known = {attributes.get("id") for _, attributes in odd.tags}
    labels = {attributes.get("for") for tag, attributes in odd.tags if tag == "label"}
    assert {attributes["id"] for tag, attributes in odd.tags if tag == "select"} <= labels
    for _, attributes in odd.tags:
        assert attributes.get("aria-labelledby") in {None, *known}
    ids = [attributes["id"] for _, attributes in odd.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_file_is_small_and_written_whole_or_not_at_all(
    tmp_path: Path, sample: tuple[Predictions, Predictions]
) -> None:
    fit_on, pred = sample
    found, path = report(pred, fit_on=fit_on), tmp_path / "report.html"
    found.to_html(path)
    assert path.stat().st_size < 700_000
    assert path.read_text("utf-8") == page(found)
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(ValueError, match="there is no folder"):
        found.to_html(tmp_path / "absent" / "report.html")


@pytest.mark.parametrize(
    "x",
    [
        binary([0.5], [1]),
        binary([0.0, 1.0, 1.0], [0, 1, 0]),
        from_probs([[0.6, 0.4]] * 10, [0, 1] * 5),
        from_probs(np.eye(3), [0, 1, 1], weights=[0, 2, 3]),
        binary([0.2, 0.4, 0.8, 0.9], [0, 0, 1, 1]),
    ],
    ids=str,
)
def test_odd_data_have_a_page(x: Predictions) -> None:
    text = Reader(page(report(x))).text
    assert not re.search(r"\b(nan|inf|None)\b", text)


def test_ten_thousand_classes_have_a_page_that_says_what_it_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    z, y = RNG.normal(size=(10, 10_000)).astype(np.float32), RNG.integers(0, 10_000, 10)
    monkeypatch.setattr("calibrant.reporting.class_errors.MOST_CELLS", 50_000)
    text = Reader(page(report(from_logits(z, y)))).text
    assert "Only the 20 classes whose mean claim is furthest off were measured" in text
    assert "of 10000 classes never occur" in text
    assert "left out, as it is slow" in text
    assert "The 20 classes furthest off" in text
