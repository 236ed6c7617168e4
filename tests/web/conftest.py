"""A server of the exported site and a browser, shared by the tests of the page."""

from __future__ import annotations

import functools
import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium import webdriver

from tests.web.chromium import PICTURES, chromium, programs
from tests.web.visitor import WITHOUT_SERVICE_WORKER, Visitor
from zhaifei.app.pocket.exporting import LISTED, OFFERS


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """Serve files on this machine, and yield the address; in the end nothing answers there."""
    handler = functools.partial(_Quiet, directory=str(directory))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(autouse=True)
def made_before(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in this process serves what was exported: each server would take seconds to make
    these files anew for the service worker."""
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    made = {name: path.read_bytes for name, path in files.items() if name not in (LISTED, OFFERS)}
    monkeypatch.setattr("zhaifei.app.server.site.site_files", lambda: made)


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    with chromium(programs()) as found:
        yield found


def same_dice(seed: int) -> str:
    """Return a script after which each start of a page rolls the same dice."""
    rolled = "crypto.getRandomValues = (numbers) => numbers.fill(next++)"
    return f"{{ let next = {seed}; {rolled}; }}"


@pytest.fixture
def visitor(
    browser: webdriver.Chrome,
    site: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[Visitor]:
    """Somebody who opens the page for the first time, where it keeps nothing for offline, and whose
    dice depend on the test's name alone; in the end no script has failed."""
    pictures = Path(os.environ.get(PICTURES) or tmp_path_factory.getbasetemp() / "screenshots")
    dice = same_dice(zlib.crc32(request.node.name.encode()))
    with serving(site) as address:
        visitor = Visitor(browser, address, pictures)
        with visitor.before_loading(dice + WITHOUT_SERVICE_WORKER):
            yield visitor
        faults = [*visitor.faults, *visitor.errors()]
        browser.get("about:blank")
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
