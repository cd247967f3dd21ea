"""Fixtures of the console's tests: a real server, and a real browser where there is one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hindsight.client import RestClient

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "serve"), str(ROOT / "scripts")]  # tests are no package
from browser import chromium  # noqa: E402
from serving import HttpThread  # noqa: E402


@pytest.fixture
def server(tmp_path) -> Iterator[HttpThread]:
    with HttpThread(str(tmp_path / "memory"), min_relevance=0.001) as server:
        yield server


@pytest.fixture
def rest(server) -> Iterator[RestClient]:
    with RestClient(server.url, token="") as client:
        yield client


@pytest.fixture
def web(server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30, headers={"accept": "text/html", "accept-language": "en"}) as client:
        yield client


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    program = chromium()
    if program is None:
        told = "no Chromium here; as root on Debian `python3 scripts/browser.py` installs it, with a Chinese font"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]) as browser:
        yield browser
