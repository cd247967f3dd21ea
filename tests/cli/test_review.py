"""hindsight review and hindsight patterns, from a person's side."""

from __future__ import annotations

import asyncio
import json
from xml.etree import ElementTree as ET

import pytest

from hindsight import Hindsight
from hindsight.cli.app import DONE, NOT_FOUND, USAGE
from hindsight.records import Channel, Principal


@pytest.fixture
def filled(tmp_path):
    """A store in which an agent failed, and proposed something: the id of that."""
    return asyncio.run(fill(tmp_path / "memory"))


async def fill(folder) -> str:
    async with Hindsight.open(folder, embedder="none") as memory:
        agent = memory.acting_as(Principal(agent="worker", channel=Channel.AGENT))
        for number in range(2):
            calls = [{"tool": "pay", "error": "HTTP 409: open_till is required first"}]
            await agent.task_finished("failure", task=f"Pay {number}", task_type="payout", calls=calls)
        await agent.task_finished("success", task="Pay 3", task_type="other", calls=[{"tool": "open_till"}, {"tool": "pay"}])
        saved = await agent.store("Never pay \x1b[31manyone", kind="rule")
    return str(saved.id)


def test_review_lists_approves_rejects_and_postpones(filled, cli) -> None:
    listed = cli("review")
    assert listed.code == DONE
    assert "Never pay \\x1b[31manyone" in listed.out
    assert "rule · worker over agent" in listed.out
    assert [item["memory"]["id"] for item in cli("review", "--json").json["items"]] == [filled]
    assert cli("review", "list", "--json").json == cli("review", "--json").json
    assert "postponed until" in cli("review", "postpone", filled, "--days", 2).out
    assert cli("review").out == "nothing waits for review\n"
    approved = cli("review", "approve", filled, "--content", "Pay only from an open till", "--priority", 4, "--reason", "agreed", "--json")
    assert (approved.json["status"], approved.json["content"], approved.json["priority"]) == ("active", "Pay only from an open till", 4)
    assert "quarantined" in cli("review", "reject", filled, "--reason", "no longer").out
    assert cli("review", "reject", filled).code == USAGE
    assert cli("review", "approve", "0197a1b2-0000-7000-8000-000000000000").code == NOT_FOUND


def test_reflecting_and_scanning_from_the_command_line(filled, cli) -> None:
    told = cli("--agent", "worker", "review", "reflect", "--language", "zh", "--json").json
    (candidate,) = told["candidates"]
    assert told["episodes"] == 3
    assert "顺序：open_till → pay" in candidate["text"]
    assert "2 for, 0 against" in cli("review").out
    assert "pending" not in cli("--agent", "worker", "review", "reflect", "--shared").out
    assert cli("review", "reflect", "--of", "worker", "--json").json["episodes"] == 3
    assert cli("review", "scan", "--json").json == {"conflicts": []}
    assert cli("review", "reflect", "--episode", "nonsense").code == USAGE


def test_patterns_as_table_json_and_picture(filled, cli, tmp_path) -> None:
    picture = tmp_path / "patterns.svg"
    told = cli("--agent", "worker", "patterns", "--plot", picture)
    assert "2 of 3 tasks failed" in told.out
    assert "payout" in told.out
    assert ET.fromstring(picture.read_text(encoding="utf-8")).tag.endswith("svg")
    found = cli("--agent", "worker", "patterns", "--limit", 5, "--json").json
    assert [(cell["tool"], cell["failures"]) for cell in found["cells"]] == [("pay", 2)]
    assert cli("patterns", "--plot", tmp_path / "no" / "folder.svg").code == USAGE
    assert json.dumps(found)
