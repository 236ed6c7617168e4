"""The last of improving results, and what Ctrl-C leaves."""

from collections.abc import Iterator

import pytest

from zhaifei.policies.measure.anytime import last_of


def interrupted_after(results: int) -> Iterator[int]:
    yield from range(results)
    raise KeyboardInterrupt


def test_ctrl_c_leaves_the_last_result() -> None:
    shown: list[int] = []
    assert last_of(iter([1, 2, 3]), shown.append) == 3
    assert last_of(interrupted_after(2), shown.append) == 1
    assert shown == [1, 2, 3, 0, 1]
    with pytest.raises(KeyboardInterrupt):
        last_of(interrupted_after(0), shown.append)
