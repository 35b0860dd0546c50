"""Logs of Inspect: grades become outcomes, letters' log-probabilities logits, statements confidences."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from calibrant import Predictions, View, read


def sample(place: int, value: object = "C", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """A sample as version 2 of the format has it, what we do not read left out."""
    completion = more.pop("completion", "Rome")
    return {
        "id": place,
        "epoch": 1,
        "input": "What is the capital?",
        "target": more.pop("target", "Rome"),
        "choices": more.pop("choices", None),
        "output": {
            "model": "some/model",
            "completion": completion,
            "choices": [
                {"message": {"content": completion}, "logprobs": more.pop("logprobs", None)}
            ],
        },
        "scores": {
            "match": {"value": value, "answer": completion, "metadata": more.pop("said", None)}
        },
        "metadata": {},
    }


def logprobs(letter: str, **likeliest: float) -> dict[str, Any]:
    listed = [{"token": token, "logprob": x} for token, x in likeliest.items()]
    answer = {"token": f" {letter}", "logprob": likeliest[letter], "top_logprobs": listed}
    return {"content": [{"token": "ANSWER:", "logprob": -0.01, "top_logprobs": []}, answer]}


def log(tmp_path: Path, *samples: dict[str, Any], suffix: str = ".json") -> Path:
    path = tmp_path / f"log{suffix}"
    if suffix == ".json":
        whole = {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": list(samples)}
        path.write_text(json.dumps(whole))
        return path
    content = BytesIO()
    with ZipFile(content, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "eval": {}}))
        for each in samples:
            archive.writestr(f"samples/{each['id']}_epoch_1.json", json.dumps(each))
    path.write_bytes(content.getvalue())
    return path


@pytest.mark.parametrize("suffix", [".json", ".eval"])
def test_stated_confidences_and_grades(tmp_path: Path, suffix: str) -> None:
    path = log(
        tmp_path,
        sample(1, "C", completion="Rome. Confidence: 90%"),
        sample(2, "I", completion="Oslo, 40% sure"),
        sample(3, "P", completion="Bern", said={"confidence": 0.7}),
        sample(4, 0.25, completion="Confidence: 0.2"),
        sample(5, value=True, completion="100%"),
        suffix=suffix,
    )
    view = read(path)
    assert isinstance(view, View)
    assert view.p.tolist() == [0.9, 0.4, 0.7, 0.2, 1.0]
    assert view.y.tolist() == [1, 0, 0.5, 0.25, 1]
    assert view.event == "the answer is right"


def test_log_probabilities_of_letters_are_logits(tmp_path: Path) -> None:
    choices = ["a city", "a river", "a hill"]
    path = log(
        tmp_path,
        sample(1, target="B", choices=choices, logprobs=logprobs("B", B=-0.1, A=-2.5, x=-7.0)),
        sample(2, "I", target="C", choices=choices, logprobs=logprobs("A", A=-0.4, B=-1.5, C=-3.0)),
    )
    pred = read(path)
    assert isinstance(pred, Predictions)
    assert pred.scores.tolist() == [[-2.5, -0.1, -7.0], [-0.4, -1.5, -3.0]]
    assert pred.labels.tolist() == [1, 2]


def test_what_states_nothing_is_missing_and_told(tmp_path: Path) -> None:
    path = log(tmp_path, sample(1, completion="Confidence: 80%"), sample(2))
    with pytest.raises(ValueError, match=r"answer_confidence.* \(1 of 2 have none"):
        read(path)
    assert read(path, skip_missing=True).n == 1
    with pytest.raises(ValueError, match="holds no samples"):
        read(log(tmp_path))
    (tmp_path / "log.eval").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="no archive of Inspect"):
        read(tmp_path / "log.eval")
