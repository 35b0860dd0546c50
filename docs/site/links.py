"""Whether every link of the built site leads somewhere, and no page loads anything from elsewhere.

`python docs/site/links.py site` prints what is broken, and ends with 1 if anything is. Addresses of other sites are not
visited.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, rather than when it is clicked.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
LINKS = LOADED | {("a", "href")}
# What of `link` is a statement and nothing to fetch.
STATED = {"canonical", "next", "prev", "edit"}


class Page(HTMLParser):
    """The anchors of a page, and what it links to: whether that is loaded, and its address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[bool, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the tag names and where it leads."""
        given = dict(attrs)
        self.anchors |= {str(given[name]) for name in ("id", "name") if name in given}
        if given.get("rel") in STATED:
            return
        for name, address in attrs:
            if (tag, name) in LINKS and address is not None:
                self.links.append(((tag, name) in LOADED, address))


def broken(site: Path) -> Iterator[str]:
    """A line for each link that leads nowhere, or is loaded from elsewhere."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for is_loaded, address in page.links:
            if wrong := _wrong(path, address, pages, site, is_loaded=is_loaded):
                yield f"{path.relative_to(site)}: {address} {wrong}"


def _wrong(
    path: Path, address: str, pages: dict[Path, Page], site: Path, *, is_loaded: bool
) -> str | None:
    """What is wrong with a link, if anything is."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        return "is loaded from elsewhere" if is_loaded else None
    target = _target(path, unquote(parts.path), site)
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "leads nowhere"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "leads to no part of that page"
    return None


def _target(path: Path, name: str, site: Path) -> Path:
    if not name:
        return path
    # The page of errors is shown at any address, so that its links begin at the site's root.
    start = site if name.startswith("/") else path.parent
    return (start / name.lstrip("/")).resolve()


def main() -> int:
    """Print what is broken."""
    site = Path(sys.argv[1]).resolve()
    found = list(broken(site))
    for line in found:
        print(line)  # noqa: T201 - it is a program
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
