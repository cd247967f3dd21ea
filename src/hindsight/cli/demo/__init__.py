"""``hindsight demo``: a bilingual conversation goes in, six questions are asked, and the answers show how they were found.

``hindsight demo refund`` shows learning instead: see :mod:`hindsight.cli.demo.refund`.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from importlib.resources import as_file, files
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hindsight.cli.invocation import Invocation, log_for_commands, patient
from hindsight.cli.output import console, plain, say, shortened, table, when, write_json
from hindsight.cli.progress import Bar
from hindsight.cli.recalling import hit_json, reason, said

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.recall.answer import Recall
    from hindsight.remember.importing import ImportReport

SHOWN = 3
"""Memories asked for: what a prompt has room for."""
ZONE = "Asia/Shanghai"
"""The people of the conversation live there: "last month" is meant in their time."""


def demo(
    context: typer.Context,
    which: Annotated[
        Literal["conversation", "refund"], typer.Argument(help="conversation: recall; refund: an agent that learns from a failure.")
    ] = "conversation",
    *,
    keep: Annotated[Path | None, typer.Option("--keep", help="Folder for the demo's store; default: a temporary one.")] = None,
    language: Annotated[Literal["en", "zh"], typer.Option(help="Of the shop in the refund demo.")] = "en",
) -> None:
    """Import a small bilingual conversation into a store of its own, ask six questions, show what was found and why; or learn."""
    invocation: Invocation = context.obj
    settings: dict[str, Any] = {"timezone": ZONE, "namespace": invocation.namespace or "demo", "agent": invocation.agent}
    loaded = invocation.settings(timezone=ZONE)
    log_for_commands(loaded)
    settings |= patient(loaded)
    place: AbstractContextManager[str | Path] = tempfile.TemporaryDirectory(prefix="hindsight-demo-") if keep is None else nullcontext(keep)
    with place as folder:
        if which == "refund":
            _learn(folder, settings, language, as_json=invocation.json)
            return
        told = asyncio.run(_play(folder, settings, quiet=invocation.json))
    if invocation.json:
        write_json(told | {"store": str(keep) if keep is not None else None})
    elif keep is not None:
        say(f"\nThe store is kept: hindsight --store {keep} --namespace {settings['namespace']} recall …")


def _learn(folder: str | Path, settings: Mapping[str, Any], language: Literal["en", "zh"], *, as_json: bool) -> None:
    from hindsight.cli.demo.refund import play

    told = asyncio.run(play(folder, settings, language))
    if as_json:
        write_json(told)
        return
    rows = [(each["name"], "on" if each["memory"] else "off", each["outcome"]) for each in told["tasks"]]
    console().print(table(("task", "memory", "outcome"), rows))
    say("\nrules:")
    for rule in told["rules"]:
        say(f"  {rule['status']}: {rule['text']}")


async def _play(folder: str | Path, settings: Mapping[str, Any], *, quiet: bool) -> dict[str, Any]:
    from hindsight.memory import Hindsight

    script = json.loads(files(__package__).joinpath("questions.json").read_text(encoding="utf-8"))
    async with Hindsight.open(folder, **settings) as memory:
        with as_file(files(__package__).joinpath("conversation.jsonl")) as path, Bar("turns", starting="checking") as bar:
            conversations = len(path.read_text(encoding="utf-8").splitlines())
            report = await memory.import_file(path, progress=bar.show)
        embedder = (await memory.stats()).embedder
        if not quiet:
            _show_import(report, conversations, embedder)
        asked = []
        for question in script["questions"]:
            found = await memory.retrieve(question["ask"], k=SHOWN, now=script["now"])
            rank = _rank(found, question["answers"])
            asked.append({**question, "found": rank is not None, "rank": rank, **_answer(found)})
            if not quiet:
                _show_question(memory, question, found, rank)
    told = {
        "import": asdict(report),
        "embedder": embedder,
        "now": script["now"],
        "questions": asked,
        "found": sum(each["found"] for each in asked),
        "of": len(asked),
        "p50_ms": round(median(each["took_ms"] for each in asked), 2),
    }
    if not quiet:
        say(f"\n{told['found']} of {told['of']} questions found their answer, {told['p50_ms']:.1f} ms each (median).")
    return told


def _rank(found: Recall, answers: list[str]) -> int | None:
    """Place of the first hit that answers, from 1; None where there is none."""
    return next((place for place, hit in enumerate(found.hits, start=1) if set(answers) & set(hit.memory.turn_ids)), None)


def _answer(found: Recall) -> dict[str, Any]:
    return {"hits": [hit_json(hit) for hit in found.hits], "flags": list(found.flags), "took_ms": round(found.took_ms, 2)}


def _show_import(report: ImportReport, conversations: int, embedder: str | None) -> None:
    say(
        f"{report.read} turns of {conversations} conversations of a team, Chinese and English, imported in {report.seconds:.1f} s: {report.stored} new, {report.duplicates} there already."
    )
    if embedder is None:
        say("No embedding model is set: keyword search only. What shares no word with its question stays unfound.")
    else:
        say(f"Embedded by {embedder}.")


def _show_question(memory: Hindsight, question: Mapping[str, Any], found: Recall, rank: int | None) -> None:
    shown = console()
    say("")
    shown.print(plain(f"? {question['ask']}", style="bold cyan"), soft_wrap=True)
    shown.print(
        plain(f"  {question['about']} · {found.took_ms:.1f} ms{''.join(f' · {flag}' for flag in found.flags)}", style="dim"), soft_wrap=True
    )
    if rank is None:
        shown.print(plain("  not found", style="yellow"), soft_wrap=True)
    for place, hit in enumerate(found.hits, start=1):
        mark = "✓" if place == rank else " "
        shown.print(plain(f"{mark} {place}. {shortened(said(hit), 200)}", style="green" if place == rank else ""), soft_wrap=True)
        shown.print(plain(f"     {when(hit.memory.event_time, memory.zone)} · {reason(hit)}", style="dim"), soft_wrap=True)


COMMANDS = {"demo": demo}
