"""Compact tables as files of earlier versions hold them (`solver.tables.earlier_packing`)."""

import zlib

import numpy as np

from zhaifei.game.tables import BidTables
from zhaifei.solver.tables.earlier_packing import _dtypes
from zhaifei.solver.tables.strategy_table import StrategyTable


def earlier_packed(bids: BidTables, table: StrategyTable) -> dict[str, np.ndarray]:
    """The arrays of a file; the table must have 255 steps."""
    assert table.steps == 255
    parts = {
        "context": table.context,
        "rows": table.end_row - table.first_row,
        "action": table.action,
        "hands": np.diff(table.first_entry),
        "hand": table.hand,
        "share": table.share,
    }
    return {name: deflated(parts[name].astype(dtype)) for name, dtype in _dtypes(bids).items()}


def deflated(array: np.ndarray) -> np.ndarray:
    return np.frombuffer(zlib.compress(array.tobytes()), np.uint8)


def bomb(length: int) -> np.ndarray:
    """What stands for `length` MB of zeros, in a thousandth."""
    stream = zlib.compressobj()
    megabyte = bytes(1 << 20)
    parts = [stream.compress(megabyte) for _ in range(length)]
    return np.frombuffer(b"".join([*parts, stream.flush()]), dtype=np.uint8)
