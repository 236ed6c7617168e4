"""The picture of the page in the READMEs: play with a hint, the table, and the explorer.

    python -m tests.app.web.browser.picture

writes docs/page.webp and docs/page.zh.webp, from a real browser.
"""

from __future__ import annotations

import base64
import os
import tempfile
from pathlib import Path

from tests.app.web.browser.chromium import Look, Screen, chromium, programs
from tests.app.web.browser.journeys import (
    at_the_table,
    begin,
    explored,
    hint_shown,
    open_round,
)
from tests.app.web.browsing import Served
from tests.command_line import ROOT
from zhaifei.app.locale.compiling import compile_catalogues

NAMES = {"en": "page.webp", "zh": "page.zh.webp"}
_HEIGHT = 1080
_STYLE = "margin:0;display:flex;gap:14px;padding:10px;background:#d8d2c6"


def screens(screen: Screen) -> list[bytes]:
    """What a phone shows of three pages."""
    begin(screen)
    open_round(screen)
    hint_shown(screen)
    taken = [screen.drawn()]
    at_the_table(screen)
    taken.append(screen.drawn())
    screen.open("/explorer")
    explored(screen)
    screen.tap_at('[data-tap^="paint "]')
    screen.until(lambda: screen.shown('[data-tap="lock 100"]'))
    taken.append(screen.drawn())
    return taken


def side_by_side(screen: Screen, taken: list[bytes]) -> bytes:
    """One picture of several: of the last, the end is shown."""
    images = "".join(
        f'<img src="data:image/png;base64,{base64.b64encode(one).decode()}" style="width:360px;'
        f'height:{_HEIGHT}px;object-fit:cover;object-position:{place}">'
        for one, place in zip(taken, ("top", "top", "bottom"), strict=True)
    )
    screen.driver.get("about:blank")
    screen.resize(3 * 360 + 48, _HEIGHT + 20)
    screen.driver.execute_script(
        "document.body.style = arguments[0]; document.body.innerHTML = arguments[1]",
        _STYLE,
        images,
    )
    screen.until(
        lambda: screen.driver.execute_script(
            "return [...document.images].every((one) => one.complete && one.naturalWidth)"
        )
    )
    return screen.drawn("webp", whole=False)


def main() -> None:
    """Run the command."""
    compile_catalogues()
    with tempfile.TemporaryDirectory() as directory:
        os.environ["XDG_DATA_HOME"] = directory
        with chromium(programs()) as driver, Served(data=Path(directory)) as served:
            for language, name in NAMES.items():
                screen = Screen(driver, served, Look("phone", language), Path(directory))
                picture = side_by_side(screen, screens(screen))
                (ROOT / "docs" / name).write_bytes(picture)
                print(f"docs/{name}: {len(picture) / 1024:.0f} KB")


if __name__ == "__main__":
    main()
