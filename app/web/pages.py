"""Register which page is at which path."""

from __future__ import annotations

from pathlib import Path

from nicegui import app as served
from nicegui import ui

from zhaifei.app.web import explorer_page, play_page, records_page, review_page, table_page

STYLE = Path(__file__).with_name("style.css")


def register() -> None:
    """Register all pages and the stylesheet."""
    served.add_static_file(local_file=STYLE, url_path="/style.css")
    ui.page("/")(play_page.show)
    ui.page("/table")(table_page.show)
    ui.page("/explorer")(explorer_page.show)
    ui.page("/records")(records_page.show)
    ui.page("/review/{record}")(review_page.show)
