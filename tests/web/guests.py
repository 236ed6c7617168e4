"""Guests of a server that works in the process of the test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from selenium import webdriver
from starlette.applications import Starlette

from tests.app.server.served_app import app_served
from tests.web.chromium import PICTURES
from tests.web.visitor import Visitor

Guest = TypeVar("Guest", bound=Visitor)


@contextmanager
def visiting(
    kind: type[Guest], browser: webdriver.Chrome, app: Starlette, directory: Path
) -> Iterator[Guest]:
    """Serve an application, and yield somebody who opens its page; in the end no script has failed.
    Pictures go into the directory unless the environment names another one."""
    with app_served(app) as port:
        pictures = Path(os.environ.get(PICTURES) or directory)
        guest = kind(browser, f"http://127.0.0.1:{port}/", pictures)
        yield guest
        faults = [*guest.faults, *guest.errors()]
        browser.get("about:blank")
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
