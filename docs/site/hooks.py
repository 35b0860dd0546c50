"""What the site has beside its pages: the reference, a Markdown twin of every page, llms.txt."""

import re
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import ModuleType

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import calibrant
from calibrant.cli import COMMANDS, run

# Rooms with names of their own, beside those of the package itself.
ROOMS = (
    *("curves", "plots", "decisions", "groups", "shift", "monitoring"),
    *("scale", "simulate", "samples", "sklearn"),
    *("torch.losses", "torch.metrics", "torch.modules", "torch.kernels", "torch.callback"),
)
# Told by their texts alone: the packages that they work with are not all to be had at once.
INTEGRATIONS = ("testing", "mlflow", "evaluate", "inspect", "lm_eval", "evidently")
PICTURE = re.compile(r'<img alt="[^"]*" src="([^"]+\.png)" />')
CHANGES = Path(__file__).parents[2] / "CHANGELOG.md"
_TEXTS: dict[str, tuple[str, str]] = {}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the changelog, and the reference: a page a room, an entry a public name."""
    changes = CHANGES.read_text(encoding="utf-8")
    files.append(File.generated(config, "changes.md", content=changes))
    for room, names in _names_by_room().items():
        entries = "\n\n".join(f"::: {name}" for name in names)
        content = f"# {room}\n\n{entries}\n"
        files.append(File.generated(config, f"reference/{room}.md", content=content))
    helps = "\n\n".join(f"## {name}\n\n```text\n{_help(name)}```" for name in COMMANDS)
    content = f"# Commands\n\nWhat `calibrant COMMAND --help` says.\n\n{helps}\n"
    files.append(File.generated(config, "reference/commands.md", content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Keep the text of each page for its twin."""
    _TEXTS[page.file.src_uri] = (page.title or page.file.name, markdown)
    return markdown


def on_page_content(html: str, *, page: Page, **_: object) -> str:
    """Show pictures, which are drawn for fine screens, at half their size; keep intervals whole."""
    folder = Path(str(page.file.abs_src_path)).parent
    html = html.replace(" ± ", "&nbsp;±&nbsp;")
    return PICTURE.sub(lambda found: _at_half_size(found, folder), html)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Write the twins, and llms.txt that lists them."""
    site = Path(config["site_dir"])
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for name, (title, text) in _TEXTS.items():
        twin = site / name
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(text, encoding="utf-8")
        lines.append(f"- [{title}]({name}): {_first_sentence(text)}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _help(command: str) -> str:
    """What a command says of itself."""
    said = StringIO()
    with redirect_stdout(said), suppress(SystemExit):
        run([command, "--help"])
    return said.getvalue()


def _at_half_size(found: re.Match[str], folder: Path) -> str:
    """A picture's tag with half its width, which stands at a fixed place of a PNG."""
    header = (folder / found[1]).read_bytes()[:24]
    width = int.from_bytes(header[16:20]) // 2
    return found[0].replace("<img", f'<img width="{width}"')


def _names_by_room() -> dict[str, list[str]]:
    """Every public name below the room it lives in; rooms of their own by their full names."""
    found: dict[str, list[str]] = {}
    for name, home in vars(calibrant)["_HOMES"].items():
        if home:
            room, _, _ = home.partition(".")
            found.setdefault(room, []).append(f"calibrant.{home}.{name}")
    for room in ROOMS:
        module = import_module(f"calibrant.{room}")
        found[room] = [_address(module, name) for name in _public(module)]
    found["integrations"] = [f"calibrant.integrations.{name}" for name in INTEGRATIONS]
    return found


def _public(module: ModuleType) -> list[str]:
    named = getattr(module, "__all__", None) or [name for name in vars(module) if name[0] != "_"]
    own = module.__name__.split(".")[0]
    things = ((name, getattr(module, name)) for name in named)
    return [name for name, thing in things if getattr(thing, "__module__", "").startswith(own)]


def _address(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    return f"{thing.__module__}.{name}"


def _first_sentence(text: str) -> str:
    """What a page is about: its first line of prose, to the first full stop."""
    prose = (line for line in text.splitlines() if line[:1].isalpha())
    sentence, _, _ = next(prose, "").partition(". ")
    return sentence.rstrip(".") + "."
