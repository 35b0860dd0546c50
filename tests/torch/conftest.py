"""What every test of tensors has."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Batches are so small that a second thread would only be waited for."""
    torch = pytest.importorskip("torch", reason="torch is an extra")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
