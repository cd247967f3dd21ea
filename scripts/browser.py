"""Chromium and a Chinese font for the tests of the console: installed where that may be done without asking.

    python3 scripts/browser.py

As root where there is ``apt-get``; elsewhere nothing is done, and the tests of the browser say what is missing.
Only the standard library is needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-noto-cjk")


def chromium() -> str | None:
    """The path of a Chromium; None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def main() -> int:
    """Install what is missing; always 0, since the tests tell what could not be had."""
    if chromium() is not None:
        return 0
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.stderr.write(
            "no Chromium was found: the tests of the console's pages in a browser will tell. Install Chromium and a Chinese font.\n"
        )
        return 0
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "--no-install-recommends", *PACKAGES]):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment, check=False).returncode:
            sys.stderr.write(f"`{' '.join(command)}` failed: the tests of the console's pages in a browser will tell.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
