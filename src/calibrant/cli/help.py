"""Pages of help that read as words: no types of Python, and the families looked up when asked for."""

from typing import Any

from typer.core import TyperCommand


class HelpPage(TyperCommand):
    """A command whose page of help names its arguments as its examples do."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as typer has it
        """FILE, where typer would say {FILE}."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as typer has it
        """FILE, where typer would say FILE <path>."""
        for title in ("Arguments", "Options"):
            kind = title.lower().removesuffix("s")
            params = [each for each in self.get_params(ctx) if each.param_type_name == kind]
            records = [each.get_help_record(ctx) for each in params]
            shown = [_without_type(*record) for record in records if record is not None]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as typer has it
        """The families, where one can be named, and the examples."""
        if any(each.name == "family" for each in self.get_params(ctx)):
            with formatter.section("Families, with their usual settings"):
                formatter.write_dl(_families())
        super().format_epilog(ctx, formatter)


def examples(*lines: str) -> str:
    """Examples at the foot of a page of help."""
    # typer does not join the lines of a paragraph that begins with a backspace.
    return "\n".join(["\b", "Examples:", *(f"  calibrant {line}" for line in lines)])


def _without_type(name: str, text: str) -> tuple[str, str]:
    return name.partition(" <")[0], text


def _families() -> list[tuple[str, str]]:
    from ..families.known import SHORTHANDS
    from ..families.names import known_families, usual_settings

    rows = [(name, usual_settings(kind)) for name, kind in known_families().items()]
    rows += [(name, whole) for name, whole in SHORTHANDS.items()]
    return sorted(rows)
