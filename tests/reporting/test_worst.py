"""The groups or classes furthest off, with signed gaps."""

import numpy as np
from shared_claims import claims

from calibrant import binary, from_probs, report
from calibrant.reporting.worst import worst

RNG = np.random.default_rng(0)


def test_groups_are_ranked_by_what_chance_does_not_make() -> None:
    p = RNG.uniform(0.2, 0.8, 4000)
    group = np.array(["right", "high", "low", "few"])[np.arange(4000) % 4]
    group[(group == "few") & (np.arange(4000) > 60)] = "right"
    truth = p + np.select([group == "high", group == "low"], [-0.15, 0.1], 0.0)
    found = report(binary(p, RNG.random(4000) < truth), by={"g": group})
    of, (first, second, third) = worst(found)
    assert of == "groups"
    assert (first.name, second.name) == ("g high", "g low")
    assert first.gap_in_words == f"+{100 * (first.claimed - first.happened):.2f}"
    assert second.gap_in_words.startswith("-")
    assert (first.words, second.words) == ("too high", "too low")
    assert third.words in ("within random variation", "too few rows to tell")


def test_classes_that_err_both_ways_have_their_widest_gap() -> None:
    truth = RNG.dirichlet([1, 1, 1], 4000)
    claimed = truth**3 / (truth**3).sum(1, keepdims=True)
    labels = [RNG.choice(3, p=row) for row in truth]
    found = report(from_probs(claimed, labels, classes=["cat", "dog", "fox"]))
    of, parts = worst(found)
    assert of == "classes"
    assert {each.name for each in parts} == {"class cat", "class dog", "class fox"}
    ks = {f"class {each.name}": each.ks for each in found.classes}
    for each in parts:
        assert each.words == "too extreme"
        assert each.gap_in_words == f"\N{PLUS-MINUS SIGN}{100 * ks[each.name]:.2f}"


def test_one_chance_without_groups_has_none() -> None:
    assert worst(report(claims(100))) == ("", ())
