"""An export is the store in a form that every engine reads back: what comes out again is equal, and follows the published schema."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from hindsight.errors import AccessDenied
from hindsight.records import Channel, Memory, Principal

SCHEMA = json.loads(files("hindsight").joinpath("export.schema.json").read_text(encoding="utf-8"))
MADE_ANEW = {"seal"}  # each store seals with its own key, in its own chain
OF_AN_IMPORT = {"channel", "trust", "status"}


async def rich(memory) -> None:
    """Every field is filled by some record."""
    await memory.store("用户对花生过敏", kind="constraint", tags=["健康"], entities=["花生"])
    lesson = {"condition": "c", "action": "a", "reason": "r", "avoid": True}
    parent = await memory.store("Deploy blue-green", kind="procedure", task_type="deployment", tools=["kubectl", "helm"], lesson=lesson)
    await memory.update(parent.id, content="Deploy blue-green 🚀\u2028 and watch", reason="why")
    gone = await memory.store("erased")
    await memory.forget(gone.id)
    episode = await memory.store(
        "ep",
        kind="episode",
        outcome="failure",
        error_code="E1101",
        occurred_at="2023",
        session_id="s",
        turn_ids=["1"],
        speaker="Bob",
        role="user",
    )
    await memory.forget(episode.id, mode="archive")
    await memory.store("The port of the staging database is 5432")
    await memory.store("The port of the staging database is 6432")
    found = await memory.retrieve("staging database port")
    await memory.feedback(found.id, "helpful")
    await memory.store(
        "child", parents=[parent.id], key="a:b", priority=4, confidence=0.3, importance=0.9, expires_at="2040-01-01", valid_from="2020-01-01",
        visibility="shared",
    )  # fmt: skip


def parsed(lines: list[str], *, without: set[str]) -> list[dict]:
    return [{name: value for name, value in json.loads(line).items() if name not in without} for line in lines]


async def test_export_import_export_is_equal(new_url, opened, export, tmp_path) -> None:
    async with opened(new_url()) as memory:
        await rich(memory)
        first = await export(memory)
    file = tmp_path / "export.jsonl"
    file.write_text("\n".join(first) + "\n", encoding="utf-8")
    async with opened(new_url()) as memory:
        report = await memory.import_file(file, keep_trust=True)
        assert (report.stored, report.refused) == (len(first), 0)
        second = await export(memory)
        assert parsed(second, without=MADE_ANEW) == parsed(first, without=MADE_ANEW)
        assert (await memory.verify()).state == "ok"
        assert (await memory.import_file(file, keep_trust=True)).stored == 0
    async with opened(new_url()) as memory:  # a file of anybody brings no trust, and nothing else is lost
        await memory.import_file(file)
        third = await export(memory)
        assert parsed(third, without=MADE_ANEW | OF_AN_IMPORT) == parsed(first, without=MADE_ANEW | OF_AN_IMPORT)
        assert {each["channel"] for each in map(json.loads, third)} == {"import"}
        assert max(each["trust"] for each in map(json.loads, third)) <= 0.5


async def test_from_one_engine_to_the_other(opened, export, postgres_url, tmp_path) -> None:
    file = tmp_path / "export.jsonl"
    async with opened(str(tmp_path / "embedded")) as memory:
        await rich(memory)
        first = await export(memory)
    file.write_text("\n".join(first) + "\n", encoding="utf-8")
    async with opened(postgres_url()) as memory:
        await memory.import_file(file, keep_trust=True)
        assert parsed(await export(memory), without=MADE_ANEW) == parsed(first, without=MADE_ANEW)


async def test_only_the_owner_may_take_over_trust(opened, tmp_path, export) -> None:
    async with opened(str(tmp_path / "a")) as memory:
        await memory.store("x")
        (tmp_path / "e.jsonl").write_text((await export(memory))[0] + "\n")
        for principal in (
            Principal(agent="a", channel=Channel.AGENT),
            Principal(agent="a", channel=Channel.USER, scopes=frozenset({"read", "write"})),
        ):
            with pytest.raises(AccessDenied):
                await memory.acting_as(principal).import_file(tmp_path / "e.jsonl", keep_trust=True)


def test_the_published_schema_is_that_of_the_records() -> None:
    made = Memory.model_json_schema(mode="serialization")
    assert {name: value for name, value in SCHEMA.items() if name not in {"$schema", "title"}} == {
        name: value for name, value in made.items() if name != "title"
    }


async def test_every_line_follows_the_schema(opened, export, tmp_path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    check.check_schema(SCHEMA)
    async with opened(str(tmp_path / "a")) as memory:
        await rich(memory)
        for line in await export(memory):
            check.validate(json.loads(line))
    with pytest.raises(jsonschema.ValidationError):
        check.validate({"content": "no id"})


def test_the_command_prints_it(capsys) -> None:
    from hindsight.cli.app import run

    assert run(["export", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
