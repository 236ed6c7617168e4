"""What the tests of learners share."""

from collections.abc import Iterator

import pytest


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Let PyTorch compute on one thread, where equal runs are bit-identical."""
    import torch  # noqa: PLC0415  # takes seconds, and few tests of this room need it

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
