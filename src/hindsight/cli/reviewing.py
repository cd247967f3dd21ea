"""``hindsight review``: what waits for a person, and the decisions; ``reflect`` and ``scan`` put things there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import as_json, console, plain, say, shortened, table, when, write_json

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from hindsight.learn.conflicts import Conflict
    from hindsight.learn.reflector import Reflection
    from hindsight.learn.review import ReviewItem
    from hindsight.memory import Hindsight
    from hindsight.records import Memory

Id = Annotated[str, typer.Argument(help="Id of a memory that waits; `hindsight review list` shows them.")]


def list_(context: typer.Context, limit: Annotated[int, typer.Option(help="At most so many.", min=1, max=10_000)] = 100) -> None:
    """List what waits for a decision: pending rules, quarantined memories, conflicts, memories that harmed."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[list[ReviewItem], tzinfo]:
        return await memory.reviews(limit=limit), memory.zone

    found, zone = invocation.with_memory(work)
    if invocation.json:
        write_json({"items": [each.as_json() for each in found]})
        return
    if not found:
        say("nothing waits for review")
        return
    for item in found:
        _show(item, zone)


def approve(
    context: typer.Context,
    id: Id,
    *,
    content: Annotated[str | None, typer.Option("--content", help="Word it anew.")] = None,
    priority: Annotated[int | None, typer.Option(help="What comes first where two contradict each other: the higher.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why; kept in its history.")] = None,
) -> None:
    """Make it active with full trust; of a conflict, the one that holds."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Memory:
        return await memory.approve(id, content=content, priority=priority, reason=reason)

    _decided(invocation, invocation.with_memory(work), "approved")


def reject(context: typer.Context, id: Id, *, reason: Annotated[str, typer.Option(help="Why; it is remembered.")]) -> None:
    """Put it away; the same is not proposed again."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Memory:
        return await memory.reject(id, reason=reason)

    _decided(invocation, invocation.with_memory(work), "rejected")


def postpone(
    context: typer.Context,
    id: Id,
    *,
    days: Annotated[float, typer.Option(help="Ask again after so many.")] = 7.0,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
) -> None:
    """Decide later; until then it stays as it is."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> tuple[datetime, tzinfo]:
        return await memory.postpone(id, days=days, reason=reason), memory.zone

    until, zone = invocation.with_memory(work)
    if invocation.json:
        write_json({"id": id, "until": until.isoformat()})
    else:
        say(f"postponed until {when(until, zone)}")


def reflect(
    context: typer.Context,
    *,
    episode: Annotated[str | None, typer.Option("--episode", help="Only what concerns this episode.")] = None,
    agents: Annotated[
        list[str] | None, typer.Option("--of", help="Take in this agent's episodes too, for shared rules; may be repeated.")
    ] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Propose rules for every agent of the namespace.")] = False,
    language: Annotated[Literal["zh", "en"] | None, typer.Option(help="Of the proposals; default: that of most episodes.")] = None,
) -> None:
    """Look for causes of failure in past tasks and propose rules and procedures, to be approved or rejected here."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> Reflection:
        return await memory.reflect(episode, agents=agents or (), shared=shared, language=language)

    found = invocation.with_memory(work)
    if invocation.json:
        write_json(found.as_json())
        return
    say(f"{found.episodes} episodes looked at, {len(found.proposals)} candidates")
    rows = [(str(each.id or "–"), each.status, _counted(each.as_json()), each.candidate.draft.content) for each in found.proposals]
    if rows:
        console().print(table(("id", "status", "evidence", "text"), rows))
    for line in found.left_out:
        say(f"not proposed: {line}")


def scan(context: typer.Context) -> None:
    """Look for active statements that contradict each other, and file them here."""
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> list[Conflict]:
        return await memory.scan_conflicts()

    found = invocation.with_memory(work)
    if invocation.json:
        write_json({"conflicts": [[str(each.first), str(each.second)] for each in found]})
    else:
        say(f"{len(found)} new conflicts" + ("; `hindsight review list` shows them" if found else ""))


def _show(item: ReviewItem, zone: tzinfo) -> None:
    memory = item.memory
    shown = console()
    shown.print(plain(f"{memory.id}  {item.why}", style="bold"), soft_wrap=True)
    told = f"{memory.kind} · {memory.agent} over {memory.channel} · {memory.visibility} · {when(memory.created_at, zone)}"
    shown.print(plain(f"  {told}", style="dim"), soft_wrap=True)
    shown.print(plain(f"  {shortened(memory.content, 600)}"), soft_wrap=True)
    if item.grounds:
        agents = ", ".join(item.grounds.get("agents", []))
        about = item.grounds | {"support": len(item.grounds.get("supporting", []))}
        shown.print(plain(f"  evidence: {_counted(about)}; episodes of {agents}", style="dim"), soft_wrap=True)
    for other in item.conflicts:
        shown.print(plain(f"  against {other.id} (priority {other.priority}): {shortened(other.content, 300)}", style="yellow"))
    for decision in item.decisions:
        reason = f": {decision.reason}" if decision.reason else ""
        shown.print(plain(f"  {decision.decision} by {decision.actor}, {when(decision.at, zone)}{reason}", style="dim"), soft_wrap=True)


def _counted(grounds: dict[str, Any]) -> str:
    parts = [f"{grounds['support']} for", f"{len(grounds.get('opposing', []))} against"]
    if grounds.get("confidence") is not None:
        parts.append(f"confidence {grounds['confidence']:.2f}")
    if grounds.get("lift") is not None:
        parts.append(f"lift {grounds['lift']:.2f}")
    return ", ".join(parts)


def _decided(invocation: Invocation, memory: Memory, what: str) -> None:
    if invocation.json:
        write_json(as_json(memory))
    else:
        say(f"{what}: {memory.id} is {memory.status} (version {memory.version})")


COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_,
    "approve": approve,
    "reject": reject,
    "postpone": postpone,
    "reflect": reflect,
    "scan": scan,
}
