"""The examples, run as they stand, offline, with the scripted model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PEANUTS = "tuesday: From memory: - The user is allergic to peanuts."
SAID = {
    "task_loop.py": ["first:  stored without memory: E42", "second: stored with memory: deployed"],
    "three_agents.py": [
        "b sees a's private notes: 0",
        "a shared fact is pending",
        "b, shared: 2",
        "an order is pending",
        "a quiet lie is stored",
        "b is told the lie: True",
        "b is told the lie: False - and the lesson: True",
    ],
    "langgraph_agent.py": [PEANUTS, "store: ('users', 'ann') diet {'text': 'Ann eats no peanuts'}"],
    "openai_agents_session.py": [PEANUTS, "wednesday: The tool said: stored", "reset every night"],
    "pydantic_ai_toolset.py": ["1: The tool said: stored", "2: From memory: - The staging database is reset every night"],
    "llama_index_memory.py": ["From memory: - The user is allergic to peanuts."],
    "autogen_agent.py": [PEANUTS],
}
NEEDS = {"autogen_agent.py": "autogen_agentchat"}
"""Examples of libraries that are not among the test packages."""


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*SAID, "scripted_model.py"}


@pytest.mark.parametrize("name", SAID)
def test_an_example_says_what_it_promises(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HINDSIGHT_EMBEDDER": "none", "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, name], cwd=EXAMPLES, env=env, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    for line in SAID[name]:
        assert line in done.stdout, done.stdout
