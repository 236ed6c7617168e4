"""The picture of the page in the READMEs: a match with a hint, the table, and the explorer.

    python -m tests.web.picture

writes docs/page.webp and docs/page.zh.webp, from a real browser.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

from tests.command_line import ROOT
from tests.web.chromium import chromium, programs
from tests.web.conftest import serving
from tests.web.visitor import Visitor
from zhaifei.app.locale.compiling import compile_catalogues
from zhaifei.app.pocket.exporting import export

NAMES = {"en": "page.webp", "zh": "page.zh.webp"}
_WIDTH, _HEIGHT, _GAP = 360, 640, 14
_HAND = [1, 1, 3, 4, 6]
_STYLE = f"margin:0;display:flex;gap:{_GAP}px;padding:{_GAP}px;background:#d8d2c6"


def screens(visitor: Visitor) -> list[bytes]:
    """What a phone shows of three screens."""
    taken = []
    visitor.sit_down(3)
    while not visitor.until_asked():
        visitor.tap(".round-end .main:enabled")
    visitor.tap(".hint")
    visitor.until(lambda: visitor.find(".hint-line"))
    taken.append(visitor.shot())
    visitor.go("table")
    visitor.tap(".stuck .main")
    for face in _HAND:
        visitor.tap(".dice-keys button", face - 1)
    visitor.until(lambda: visitor.find(".advice-now"))
    taken.append(visitor.shot())
    visitor.go("explore/zhaifei/2")
    visitor.until(lambda: visitor.number(".legend li") > 1)
    visitor.run("document.querySelector('.legend').scrollIntoView()")
    taken.append(visitor.shot())
    return taken


def side_by_side(visitor: Visitor, taken: list[bytes]) -> bytes:
    """One picture of several."""
    images = "".join(
        f'<img src="data:image/png;base64,{base64.b64encode(one).decode()}">' for one in taken
    )
    visitor.driver.get("about:blank")
    visitor.resize(len(taken) * (_WIDTH + _GAP) + _GAP, _HEIGHT + 2 * _GAP)
    visitor.run(
        "document.body.style = arguments[0]; document.body.innerHTML = arguments[1]",
        _STYLE,
        images,
    )
    visitor.until(
        lambda: visitor.run("return [...document.images].every((one) => one.naturalWidth)")
    )
    return visitor.shot("webp")


def main() -> None:
    """Run the command."""
    compile_catalogues()
    with tempfile.TemporaryDirectory() as directory:
        site = Path(directory)
        export(site)
        with chromium(programs()) as driver, serving(site) as address:
            for language, name in NAMES.items():
                visitor = Visitor(driver, address, site)
                visitor.open()
                visitor.run("localStorage.clear()")
                visitor.open(language=language)
                picture = side_by_side(visitor, screens(visitor))
                (ROOT / "docs" / name).write_bytes(picture)
                print(f"docs/{name}: {len(picture) / 1024:.0f} KB")


if __name__ == "__main__":
    main()
