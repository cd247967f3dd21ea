"""Commands that read: recall, why, show, list, history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hindsight.cli.filters import takes_filters
from hindsight.cli.invocation import Invocation
from hindsight.cli.output import as_json, console, say, shortened, table, when, write_json
from hindsight.cli.recalling import recalled, show_explanation, show_recall
from hindsight.errors import NotFound
from hindsight.remember.versions import differences

if TYPE_CHECKING:
    from datetime import tzinfo

    from hindsight.memory import Hindsight
    from hindsight.ports import Page
    from hindsight.recall.answer import Recall
    from hindsight.recall.explain import Explanation
    from hindsight.records import Event, Memory, Turn
    from hindsight.remember.lineage import Lineage, Node

Id = Annotated[str, typer.Argument(help="Id of a memory.")]


def show(
    context: typer.Context,
    id: Id,
    *,
    raw: Annotated[bool, typer.Option("--raw", help="Print the raw turns that it comes from as well.")] = False,
    lineage: Annotated[bool, typer.Option("--lineage", help="Print what it was made of, and what was made of it, as trees.")] = False,
    at: Annotated[str | None, typer.Option("--at", help="As it was at this time.")] = None,
) -> None:
    """Show one memory with all that is known of it."""
    invocation: Invocation = context.obj
    if lineage:
        _show_lineage(invocation, id)
        return

    async def work(memory: Hindsight) -> tuple[Memory, list[Turn], tzinfo]:
        found = await memory.get(id, at=at)
        if found is None:
            raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
        return found, await _turns(memory, found) if raw else [], memory.zone

    found, turns, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(as_json(found) | ({"raw": [turn.model_dump(mode="json") for turn in turns]} if raw else {}))
        return
    say(found.content)
    console().print(table(("", ""), _rows(found, zone)))
    if not raw:
        return
    if not turns:
        say("\nno raw turns are kept of it")
    for turn in turns:
        say(f"\n[{turn.session_id} {turn.position}] {turn.speaker or turn.role} {when(turn.at, zone)}\n{turn.content}")


@takes_filters
def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="A question, a task, or a situation.")],
    *,
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="How many; default: 2 to 5 by the complexity of the task.", min=1, max=1000)
    ] = None,
    min_relevance: Annotated[float | None, typer.Option(help="Least probability of being relevant, 0 to 1.", min=0, max=1)] = None,
    profile: Annotated[Literal["product", "weighted"] | None, typer.Option(help="How memories are scored.")] = None,
    routes: Annotated[list[str] | None, typer.Option("--route", help="Search by this route only; may be repeated.")] = None,
    now: Annotated[str | None, typer.Option(help="Answer as at this time.")] = None,
    cold: Annotated[bool, typer.Option("--cold", help="Search archived memories too.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show which route found what, and how it was scored.")] = False,
    render: Annotated[bool, typer.Option("--render", help="Print only the block for a prompt.")] = False,
    filters: dict[str, Any],
) -> None:
    """Recall the memories that help with a question or task."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Recall:
        return await memory.retrieve(
            query,
            k=k,
            min_relevance=min_relevance,
            explain=explain,
            profile=profile,
            routes=routes,
            now=now,
            cold=cold,
            **filters,
        )

    found = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(recalled(found))
    elif render:
        say(found.render())
    else:
        show_recall(found)


@takes_filters
def why(
    context: typer.Context,
    id: Id,
    query: Annotated[str, typer.Argument(help="The question it was, or was not, an answer to.")],
    *,
    filters: dict[str, Any],
) -> None:
    """Say why a memory is, or is not, among the answers to a question."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Explanation:
        return await memory.why(id, query, **filters)

    explanation = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"id": id, **explanation.to_json()})
        return
    say(explanation.verdict or "")
    show_explanation(explanation, only=id.strip().lower())


@takes_filters
def list_(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, max=10_000)] = 20,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    filters: dict[str, Any],
) -> None:
    """List memories, newest first."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[Page, tzinfo]:
        return await memory.list(limit=limit, cursor=cursor, **filters), memory.zone

    page, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [as_json(each) for each in page.items], "cursor": page.cursor})
        return
    if not page.items:
        say("nothing found")
        return
    rows = [(str(each.id), when(each.event_time, zone), str(each.kind), str(each.status), _line(each)) for each in page.items]
    console().print(table(("id", "time", "kind", "status", "content"), rows))
    if page.cursor is not None:
        say(f"next page: --cursor {page.cursor}")


def history(context: typer.Context, id: Id) -> None:
    """Show what happened to a memory, oldest first; of an erased one that it was there."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[list[Event], tzinfo]:
        return await memory.history(id), memory.zone

    events, zone = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"items": [event.model_dump(mode="json") | {"differences": differences(event)} for event in events]})
        return
    rows = [(when(event.at, zone), event.action, f"{event.actor} ({event.channel})", _changed(event)) for event in events]
    console().print(table(("time", "what", "who", "change"), rows))


async def _turns(memory: Hindsight, found: Memory) -> list[Turn]:
    turns: dict[tuple[str, int], Turn] = {}
    for ref in found.refs:
        if ref.session_id is not None:
            for turn in await memory.turns(ref.session_id, ref.first, ref.last, namespace=found.namespace):
                turns[turn.session_id, turn.position] = turn
    return list(turns.values())


def _rows(found: Memory, zone: tzinfo) -> list[tuple[str, str]]:
    """Every field that says something, times in the configured zone."""
    rows = []
    for name in type(found).model_fields:
        value = getattr(found, name)
        if name in {"content", "debug"} or value in (None, (), ""):
            continue
        if name.endswith("_at") or name.startswith("valid_"):
            value = when(value, zone)
        elif isinstance(value, tuple):
            value = ", ".join(str(each) for each in value)
        rows.append((name, str(value)))
    return rows


def _line(found: Memory) -> str:
    return shortened(f"{found.speaker}: {found.content}" if found.speaker else found.content)


def _changed(event: Event) -> str:
    parts = [
        f"{name}: {change['diff']}"
        if "diff" in change
        else f"{name}: {shortened(str(change['from']), 40)} → {shortened(str(change['to']), 40)}"
        for name, change in differences(event).items()
    ]
    return "\n".join([*([event.reason] if event.reason else []), *parts])


def _show_lineage(invocation: Invocation, id: str) -> None:
    async def work(memory: Hindsight) -> Lineage:
        return await memory.lineage(id)

    found = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json(found.to_json())
        return
    for title, nodes in (("made of", found.parents), ("made of it", found.children)):
        say(f"{title}:" if nodes else f"{title}: nothing that is known")
        for line in _branches(nodes, ""):
            say(line)
    if found.cut:
        say("… there is more than is drawn")


def _branches(nodes: Sequence[Node], indent: str) -> Iterator[str]:
    for place, node in enumerate(nodes):
        last = place == len(nodes) - 1
        told = f"{node.memory.kind}, {node.memory.status}: {_line(node.memory)}" if node.memory else "gone, or not yours to see"
        yield f"{indent}{'└─ ' if last else '├─ '}{node.id} {told}{' (see above)' if node.again else ''}"
        yield from _branches(node.branches, indent + ("   " if last else "│  "))


COMMANDS = {"recall": recall, "why": why, "show": show, "list": list_, "history": history}
