"""The loop around a task for agents without ``await``; see :class:`hindsight.client.TaskLoop`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from hindsight.client import taskloop as asynchronous
from hindsight.client.agent import AgentMemory
from hindsight.client.resilient import ResilientMemory
from hindsight.sync.loop import LoopThread
from hindsight.sync.memory import Hindsight

ResultT = TypeVar("ResultT")


class TaskLoop:
    """Gives each task what was learnt before, and keeps what it taught.

    ::

        from hindsight.client import connect
        from hindsight.sync import TaskLoop

        with TaskLoop(connect("http://127.0.0.1:8080")) as loop:
            with loop.task("Deploy the billing service", task_type="deployment", tools=["shell"]) as task:
                messages = task.messages([{"role": "system", "content": PROMPT}, {"role": "user", "content": "Deploy billing"}])
                …                                                   # any model, any framework
                task.use("shell", run_shell, command="make deploy")
                task.succeed("deployed")

    Tasks of several threads may be under way at once.

    Args:
        memory: an open :class:`hindsight.sync.Hindsight`, or what :func:`hindsight.client.connect` gives; the latter is used by this loop
            alone, and closed with it.
        options: as :class:`hindsight.client.TaskLoop` takes them.
    """

    def __init__(self, memory: Hindsight | AgentMemory, **options: Any) -> None:
        self._own = not isinstance(memory, Hindsight)
        below = memory._memory if isinstance(memory, Hindsight) else memory  # noqa: SLF001 - one face of the same package
        self._thread = memory._loop if isinstance(memory, Hindsight) else LoopThread()  # noqa: SLF001
        self._tasks = asynchronous.TaskLoop(below, **options)

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Send what waits, as far as the server is there, and free everything; a :class:`hindsight.sync.Hindsight` stays open."""
        if not self._own or not self._thread.running:
            return
        try:
            self._thread.run(self._tasks.memory.close())
        finally:
            self._thread.stop()

    @property
    def memory(self) -> ResilientMemory:
        """The memory with its care for the loop; its calls are for :meth:`run`: ``loop.run(loop.memory.store("…"))``."""
        return self._tasks.memory

    def run(self, call: Coroutine[Any, Any, ResultT]) -> ResultT:
        """The result of one of the memory's calls."""
        self._begin()
        return self._thread.run(call)

    def task(self, task: str, *, task_type: str | None = None, tools: Sequence[str] = (), tags: Sequence[str] = (), id: str = "") -> Task:
        """A task to be entered with ``with``. ``id`` names it, if it has a name of its own; no two tasks share one."""
        return Task(self, self._tasks.task(task, task_type=task_type, tools=tools, tags=tags, id=id))

    def _begin(self) -> None:
        if self._own and not self._thread.running:
            self._thread.start()
            self._thread.run(self._tasks.memory.__aenter__())


class Task:
    """One task under way: ``context``, ``flags``, ``messages``, ``step``, ``call``, ``succeed`` and all else of :class:`hindsight.client.Task`."""

    def __init__(self, loop: TaskLoop, task: asynchronous.Task) -> None:
        self._loop = loop
        self._task = task

    def __enter__(self) -> Self:
        self._loop.run(self._task.__aenter__())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.run(self._task.__aexit__(kind, error, trace))

    def use(self, tool: str, run: Callable[..., ResultT], /, *args: Any, **arguments: Any) -> ResultT:
        """Run a tool in this thread and note the call; what it raises is noted and raised."""
        told = {**{str(number): value for number, value in enumerate(args)}, **arguments}
        try:
            result = run(*args, **arguments)
        except BaseException as error:
            self._task.call(tool, told, error=error)
            raise
        self._task.call(tool, told, result=result)
        return result

    def feedback(self, verdict: str, ids: Sequence[Any] = ()) -> None:
        """Say how what was shown before the task proved itself: ``helpful``, ``harmful`` or ``unused``."""
        self._loop.run(self._task.feedback(verdict, ids))

    def __getattr__(self, name: str) -> Any:
        """What needs no waiting is the asynchronous task's own."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._task, name)
