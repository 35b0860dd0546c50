"""The shipped predictions."""

import pytest

from calibrant import samples


@pytest.mark.parametrize("name", samples.NAMES)
def test_samples_are_five_and_ten_thousand_rows(name: samples.Name) -> None:
    fit_on, test = samples.load(name)
    assert (fit_on.n, test.n) == (5000, 10000)
    assert fit_on.k == test.k == (100 if name.startswith("c100") else 10)


def test_an_unknown_sample_names_those_that_exist() -> None:
    with pytest.raises(
        ValueError,
        match=r"no sample is called 'imagenet'; there are c10-lenet5, c10-resnet18, c100-res",
    ):
        samples.load("imagenet")  # type: ignore[arg-type]
