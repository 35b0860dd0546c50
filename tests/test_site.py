"""The link check of the site: what is broken is found, and what is whole is not."""

from pathlib import Path

import pytest
from links import broken

PAGE = '<h1 id="top">One</h1><a href="{}">two</a>'
OTHER = '<h1 id="part">Two</h1>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "guides").mkdir()
    (tmp_path / "guides" / "two.html").write_text(OTHER)
    return tmp_path


@pytest.mark.parametrize(
    "address",
    [
        "guides/two.html",
        "/guides/two.html",
        "guides/two.html#part",
        "#top",
        "https://example.org/x",
        "mailto:a@b.c",
    ],
)
def test_a_link_that_leads_somewhere_is_whole(address: str, site: Path) -> None:
    (site / "index.html").write_text(PAGE.format(address))
    assert not list(broken(site))


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("guides/three.html", "leads nowhere"),
        ("guides", "leads nowhere"),
        ("guides/two.html#whole", "leads to no part of that page"),
        ("#bottom", "leads to no part of that page"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(address: str, why: str, site: Path) -> None:
    (site / "index.html").write_text(PAGE.format(address))
    assert list(broken(site)) == [f"index.html: {address} {why}"]


def test_a_script_from_elsewhere_is_found(site: Path) -> None:
    (site / "index.html").write_text('<script src="https://example.org/x.js"></script>')
    assert list(broken(site)) == [
        "index.html: https://example.org/x.js is loaded from elsewhere",
    ]


def test_what_a_page_only_states_is_not_loaded(site: Path) -> None:
    (site / "index.html").write_text('<link rel="canonical" href="https://example.org/">')
    assert not list(broken(site))
