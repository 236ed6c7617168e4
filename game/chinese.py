"""The message catalogue: for each English text of the program the Chinese one. The names in braces
are the same in both."""

from __future__ import annotations

CHINESE: dict[str, str] = {
    "there is no bid to challenge: the first player must bid": "还没有人叫，不能开：先手必须叫",
}
