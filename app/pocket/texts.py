"""The texts of the front end in Chinese, from the one catalogue that holds all texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from zhaifei.app.locale import catalogue
from zhaifei.app.locale.extraction import texts_of_page


def chinese_texts(web: Path) -> dict[str, str]:
    """Return the Chinese text of each text in the sources of the front end in the directory `web`,
    by the English text. A text for one and for several is listed under the text for one."""
    # Under other names: what is extracted are literals.
    of_one, of_several = catalogue("zh").gettext, catalogue("zh").ngettext
    return {
        text: of_one(text) if several is None else of_several(text, several, 1)
        for text, several in _texts(web)
    }


def _texts(web: Path) -> Iterator[tuple[str, str | None]]:
    """Yield each text, and the text for several where there is one."""
    for path in sorted(web.rglob("*.js")):
        if path.parent.name != "vendor":
            for _, text, several in texts_of_page(path.read_text("utf-8")):
                yield text, several
