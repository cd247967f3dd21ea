"""Where log lines go and what they look like."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import logging, warnings
import structlog
from hindsight.settings import load_settings
from hindsight.telemetry import log_structured, log_to_stderr
{configure}(load_settings({settings}))
structlog.get_logger("ours").warning("job_failed", job=7, error="满了")
logging.getLogger("theirs").error("broken %s", "部件")
logging.getLogger("theirs").debug("unseen")
warnings.warn("take care")
try:
    raise ValueError("inner")
except ValueError:
    logging.getLogger("theirs").exception("caught")
"""


def run(configure: str, settings: str = "") -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(configure=configure, settings=settings)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", timeout=60, check=True)


@pytest.mark.parametrize("settings", ["", 'log_format="json"'])
def test_away_from_a_terminal_every_line_is_json_on_stderr(settings) -> None:
    done = run("log_structured", settings)
    assert done.stdout == ""
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    ours, theirs, warned, caught = lines
    assert (ours["event"], ours["job"], ours["error"], ours["level"], ours["logger"]) == ("job_failed", 7, "满了", "warning", "ours")
    assert (theirs["event"], theirs["level"], theirs["logger"]) == ("broken 部件", "error", "theirs")
    assert "take care" in warned["event"]
    assert "ValueError: inner" in caught["exception"]


@pytest.mark.parametrize("settings", ['log_format="console"', 'log_format="console", log_level="debug"'])
def test_the_console_form_is_for_people(settings) -> None:
    done = run("log_structured", settings)
    assert done.stdout == ""
    assert "broken 部件" in done.stderr
    assert ("unseen" in done.stderr) is ("debug" in settings)


def test_a_level_hides_what_is_below() -> None:
    assert "job_failed" not in run("log_structured", 'log_level="error"').stderr


def test_the_quick_form_needs_no_structlog() -> None:
    program = (
        "import sys; from hindsight.settings import Settings; from hindsight.telemetry import log_to_stderr; log_to_stderr(Settings())"
    )
    check = "import logging; logging.getLogger('x').info('到'); print('structlog' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", f"{program}; {check}"], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.stdout.strip() == "False"
    assert "到" in done.stderr
