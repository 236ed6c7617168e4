"""The shapes of what is written as JSON."""

from __future__ import annotations

import json
from typing import Any

Written = dict[str, Any]
"""A value of JSON: an object."""


def as_json(value: object) -> bytes:
    """Return a `value` as JSON without spaces, in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
