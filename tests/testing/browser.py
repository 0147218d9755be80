"""Pages in a real browser without a window: Debian's package chromium."""

import pathlib
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Debian's package chromium"
)


def browse(
    url: str, folder: pathlib.Path, *options: str, milliseconds: int = 5000
) -> subprocess.CompletedProcess:
    """What Chromium makes of a page.

    Args:
        url: of the page.
        folder: for the browser's own files.
        options: more options of Chromium, such as ``--dump-dom``.
        milliseconds: how long the page's clock goes on before it is read.
    """
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder}",
        f"--virtual-time-budget={milliseconds}",
        *options,
        url,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)
