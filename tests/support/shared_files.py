"""Small files, and how they are read or refused."""

from pathlib import Path
from typing import Any

import pytest

from calibrant import Predictions, View, read


def predictions(path: Path, **options: Any) -> Predictions:  # noqa: ANN401 - any option of read
    found = read(path, **options)
    assert isinstance(found, Predictions)
    return found


def outcomes(path: Path, **options: Any) -> list[bool]:  # noqa: ANN401 - any option of read
    found = read(path, **options)
    assert isinstance(found, View)
    return found.y.tolist()


def text(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def refusal(path: Path, **options: Any) -> str:  # noqa: ANN401 - any option of read
    with pytest.raises(ValueError, match=r".") as caught:
        read(path, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message
