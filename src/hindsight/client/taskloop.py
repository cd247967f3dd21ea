"""Memory in an agent's loop: looked up before a task, written after it, whatever becomes of the task."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from hindsight.client.agent import AgentMemory
from hindsight.client.resilient import ResilientMemory
from hindsight.errors import HindsightError, InvalidInput
from hindsight.records import Outcome, StoreStatus

MOST_CALLS = 200
LONGEST_TEXT = 60_000
"""Characters of one text; the server takes some more."""
MOST_TEXT = 200_000
"""Characters of all decisions, and of all arguments, all results and all errors of calls: where there are many, each is cut to its share."""
LONGEST_NAME = 200
SHORTEST_QUOTE = 24
END_SECONDS = 10.0
_log = logging.getLogger(__name__)
_VARYING = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|/\S+|0x[0-9a-fA-F]+|\d{5,}")
_LEADING_CODE = re.compile(r"\[?[A-Z][A-Z0-9_.-]{0,30}\d[A-Z0-9_.-]{0,30}\]?\s*[:：]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class TaskLoop:
    """Gives each task what was learnt before, and keeps what it taught.

    ::

        loop = TaskLoop(memory)
        async with loop.task("Deploy the billing service", task_type="deployment", tools=["shell"]) as task:
            messages = task.messages([{"role": "system", "content": PROMPT}, {"role": "user", "content": "Deploy billing"}])
            …                                                   # any model, any framework
            output = await task.use("shell", run_shell, command="make deploy")
            task.succeed("deployed")

    Nothing here makes the agent wait for the memory or fail because of it: where it does not answer, ``task.context`` is empty,
    ``task.flags`` says why, and the episode waits in the spool, if there is one.

    Args:
        memory: a :class:`hindsight.Hindsight`, a REST or MCP client, or a :class:`ResilientMemory` over one. It is not closed here.
        knowledge: look up ingested documents too.
        reflect: ask for reflection when a task failed; what it proposes waits for a person.
        credit: count what was shown before a task that succeeded as helpful.
        options: for every look-up, such as ``k=3`` or ``namespace="billing"``.
    """

    def __init__(self, memory: AgentMemory, *, knowledge: bool = False, reflect: bool = True, credit: bool = True, **options: Any) -> None:
        self.memory = memory if isinstance(memory, ResilientMemory) else ResilientMemory(memory)
        self.knowledge = knowledge
        self.reflect = reflect
        self.credit = credit
        self.options = options

    def task(self, task: str, *, task_type: str | None = None, tools: Sequence[str] = (), tags: Sequence[str] = (), id: str = "") -> Task:
        """A task to be entered with ``async with``. ``id`` names it, if it has a name of its own; no two tasks share one."""
        return Task(self, task, task_type=task_type, tools=tools, tags=tags, id=id)


class Task:
    """One task under way.

    Attributes:
        context: block for the prompt, after the system prompt and before the user's turn; empty where nothing helps.
        recall: what the look-up found; None before the task was entered.
        flags: what was not as usual: ``timeout``, ``unavailable``, ``circuit_open``, ``stale``; ``episode_spooled``, ``episode_lost``,
            ``reflection_failed``.
        kept: what the memory kept of the task; None until its end, or where that waits in the spool.
        reflection: what reflecting on a failure proposed.

    Among ``flags`` are also ``refused`` (the memory answers, but not to this caller, or not to such a question) and ``already_kept`` (a
    task with this id is kept already, and stays as it is).
    """

    def __init__(self, loop: TaskLoop, task: str, *, task_type: str | None, tools: Sequence[str], tags: Sequence[str], id: str) -> None:
        self._loop = loop
        self.task = task.strip()[:LONGEST_TEXT] or task_type or "–"
        self.task_type = task_type
        self.tools = tuple(tools)
        self.tags = tuple(tags)
        self.id = id or f"task-{uuid4()}"
        self.context = ""
        self.recall: Any = None
        self.flags: list[str] = []
        self.kept: Any = None
        self.reflection: Any = None
        self.calls: list[dict[str, Any]] = []
        self.decisions: list[str] = []
        self._outcome: Outcome | None = None
        self._result = ""
        self._error = ""
        self._repaired_by = ""
        self._started: datetime | None = None
        self._seen: dict[tuple[str, str], int] = {}

    async def __aenter__(self) -> Self:
        if self._started is not None:
            raise InvalidInput("a task is entered once; make another one with loop.task(…).")
        self._started = datetime.now(UTC)
        look_up = self._loop.memory.context if self._loop.knowledge else self._loop.memory.retrieve
        asked = self.task if not self.tools else f"{self.task} ({', '.join(self.tools)})"
        try:
            self.recall = await look_up(asked, **self._loop.options)
        except HindsightError as error:
            _log.warning("no memory for the task: %s", error)
            self.flags.append("unavailable" if error.retryable else "refused")
            return self
        self.context = self.recall.render()
        self.flags.extend(self.recall.flags)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self._ended_by(error)
        # Where the agent is being cancelled the episode is still written, within its time.
        ending = asyncio.ensure_future(self._end())
        try:
            await asyncio.wait_for(asyncio.shield(ending), END_SECONDS)
        except TimeoutError:
            self.flags.append("episode_lost")
            ending.cancel()
        except asyncio.CancelledError:
            await asyncio.wait({ending}, timeout=END_SECONDS)
            raise

    def messages(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Chat messages with the context as a system message of its own: after the system prompt, before what follows."""
        given = [dict(each) for each in messages]
        if not self.context:
            return given
        place = next((at for at, each in enumerate(given) if each.get("role") not in ("system", "developer")), len(given))
        return [*given[:place], {"role": "system", "content": self.context}, *given[place:]]

    # What happens

    def step(self, decision: str) -> None:
        """Note what was decided, or done."""
        self.decisions.append(self._own(decision))
        del self.decisions[:-MOST_CALLS]

    def call(self, tool: str, arguments: Mapping[str, Any] | str = "", *, result: Any = "", error: Any = "") -> str:
        """Note a call of a tool; a warning for the model where the same error came before in this task, else nothing."""
        told = arguments if isinstance(arguments, str) else {str(name): _plain(value) for name, value in arguments.items()}
        failed = _described(error) if isinstance(error, BaseException) else str(error)
        one = {"tool": tool[:LONGEST_NAME] or "–", "arguments": told, "result": str(result)[:LONGEST_TEXT], "error": failed[:LONGEST_TEXT]}
        self.calls.append({**one, "at": datetime.now(UTC).isoformat()})
        del self.calls[:-MOST_CALLS]
        if not failed:
            return ""
        same = (tool, " ".join(_VARYING.sub(" ", failed).split())[:200])
        self._seen[same] = self._seen.get(same, 0) + 1
        return self._warning(tool, self._seen[same]) if self._seen[same] > 1 else ""

    async def use(self, tool: str, run: Callable[..., Any | Awaitable[Any]], /, *args: Any, **arguments: Any) -> Any:
        """Run a tool and note the call; what it raises is noted and raised."""
        told = {**{str(number): value for number, value in enumerate(args)}, **arguments}
        try:
            result = run(*args, **arguments)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            self.call(tool, told, error=error)
            raise
        self.call(tool, told, result=result)
        return result

    @property
    def repeated(self) -> list[tuple[str, str, int]]:
        """Errors that came more than once: tool, error, how often."""
        return [(tool, error, times) for (tool, error), times in self._seen.items() if times > 1]

    @property
    def warning(self) -> str:
        """What to tell the model of the error that came most often; empty where none came twice."""
        worst = max(self.repeated, key=lambda each: each[2], default=None)
        return "" if worst is None else self._warning(worst[0], worst[2])

    def succeed(self, result: Any = "") -> None:
        """The task is done. Where a call failed on the way and the same tool worked afterwards, it counts as repaired."""
        self._result = self._own(result)
        self._outcome = Outcome.SUCCESS

    def fail(self, error: Any, *, result: Any = "") -> None:
        """The task failed, though nothing was raised."""
        self._error = (_described(error) if isinstance(error, BaseException) else str(error))[:LONGEST_TEXT]
        self._result = self._own(result)
        self._outcome = Outcome.FAILURE

    def fixed(self, repaired_by: str, *, result: Any = "") -> None:
        """It failed, and this repaired it."""
        self._repaired_by = repaired_by[:LONGEST_TEXT]
        self._result = self._own(result)
        self._outcome = Outcome.FIXED

    def _own(self, text: Any) -> str:
        """The text without lines that were recalled into this task: nothing recalled is kept as if it had happened again."""
        told = str(text)
        for line in self.context.splitlines():
            if len(line) >= SHORTEST_QUOTE:
                told = told.replace(line, "…")
        return told[:LONGEST_TEXT]

    async def feedback(self, verdict: str, ids: Sequence[Any] = ()) -> None:
        """Say how what was shown before the task proved itself: ``helpful``, ``harmful`` or ``unused``."""
        for found in self._found():
            await self._loop.memory.feedback(found.id, verdict, ids=[id for id in ids if id in {hit.memory.id for hit in found.hits}])

    # The end

    def _ended_by(self, error: BaseException) -> None:
        self._error = _described(error)[:LONGEST_TEXT]
        stopped = isinstance(error, (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit))
        self._outcome = Outcome.UNKNOWN if stopped else Outcome.FAILURE
        if stopped:
            self.tags = (*self.tags, "cancelled")

    def _settled(self) -> tuple[Outcome, str]:
        """The outcome, and what repaired it: a call that works after the same tool had failed."""
        if self._outcome not in (None, Outcome.SUCCESS):
            return self._outcome, self._repaired_by
        failed = {each["tool"] for each in self.calls if each["error"]}
        last = {each["tool"]: each for each in self.calls}
        mended = [last[tool] for tool in last if tool in failed and not last[tool]["error"]]
        if self._outcome is Outcome.SUCCESS or not failed or len(mended) == len(failed):
            return (Outcome.FIXED, "; ".join(_shown(each) for each in mended)) if mended else (Outcome.SUCCESS, "")
        return Outcome.UNKNOWN, ""  # nothing was raised, nobody said how it went, and its last call failed

    async def _end(self) -> None:
        outcome, repaired_by = self._settled()
        fields: dict[str, Any] = {"task": self.task, "task_type": self.task_type, "tags": [*self.tags] or None}
        calls = [{**each, **_shares(each, len(self.calls))} for each in self.calls]
        decisions = [each[: max(1, MOST_TEXT // len(self.decisions))] for each in self.decisions]
        fields |= {"decisions": decisions or None, "result": self._result or None, "error": self._error or None}
        fields |= {"repaired_by": repaired_by or None, "calls": calls or None, "tools": None if self.calls else [*self.tools] or None}
        fields |= {"started_at": self._started and self._started.isoformat(), "finished_at": datetime.now(UTC).isoformat()}
        fields |= {"namespace": self._loop.options.get("namespace")}
        given = {name: value for name, value in fields.items() if value is not None}
        try:
            self.kept = await self._loop.memory.task_finished(outcome, id=self.id, **given)
        except HindsightError as error:
            _log.warning("the episode of %s was not kept: %s", self.id, error)
            self.flags.append("episode_lost")
            return
        if self.kept is None:
            self.flags.append("episode_spooled")
        elif self.kept.episode.status is StoreStatus.DUPLICATE:
            self.flags.append("already_kept")
        try:
            if outcome in (Outcome.SUCCESS, Outcome.FIXED) and self._loop.credit:
                await self.feedback("helpful")
            elif outcome is Outcome.FAILURE and self._loop.reflect and self.kept is not None:
                self.reflection = await self._loop.memory.reflect(self.kept.episode.id)
        except HindsightError as error:
            _log.warning("after %s: %s", self.id, error)
            self.flags.append("reflection_failed" if outcome is Outcome.FAILURE else "not_credited")

    def _found(self) -> list[Any]:
        """The retrievals that showed something."""
        parts = [getattr(self.recall, name, None) for name in ("experience", "knowledge")] if self._loop.knowledge else [self.recall]
        return [each for each in parts if each is not None and each.hits and each.id.int]

    def _warning(self, tool: str, times: int) -> str:
        if _HAN.search(self.task):
            return f"{tool} 已第 {times} 次以同样的错误失败。不要再用同样的方式重试：换一种方法，或先查明原因。"
        return f"{tool} failed with the same error {times} times. Do not try it the same way again: change the approach, or find the cause first."


def _described(error: BaseException) -> str:
    name, told = type(error).__name__, str(error)
    if _LEADING_CODE.match(told):
        return f"{told} ({name})"  # the code tells two errors apart better than the class does
    return f"{name}: {told}" if told else name


def _shares(call: Mapping[str, Any], calls: int) -> dict[str, Any]:
    """The texts of a call, cut to what is left for it among so many."""
    most = max(1, MOST_TEXT // calls)
    given = call["arguments"]
    if not isinstance(given, str):
        each = max(1, most // max(1, len(given)))
        given = {name: value[:each] if isinstance(value, str) else value for name, value in given.items()}
    return {
        "arguments": given if not isinstance(given, str) else given[:most],
        "result": call["result"][:most],
        "error": call["error"][:most],
    }


def _shown(call: Mapping[str, Any]) -> str:
    given = call["arguments"]
    told = given if isinstance(given, str) else ", ".join(f"{name}={value}" for name, value in given.items())
    return f"{call['tool']}({told[:160]})"


def _plain(value: Any) -> Any:
    """What JSON can carry."""
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)[:LONGEST_TEXT]
