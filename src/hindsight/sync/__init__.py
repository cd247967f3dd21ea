"""The synchronous face: the same memory for code without ``await``, over an event loop in a thread of its own.

::

    from hindsight.sync import Hindsight

    with Hindsight.open("./memory") as memory:
        memory.store("用户对花生过敏", kind="constraint")
        print(memory.retrieve("用户对什么过敏？").render())

Every method hands its arguments to the method of :class:`hindsight.Hindsight` with the same name, and waits. An instance
may be used from several threads.
"""

from __future__ import annotations

from hindsight.sync.memory import Hindsight
from hindsight.sync.session import Session
from hindsight.sync.taskloop import Task, TaskLoop

__all__ = ["Hindsight", "Session", "Task", "TaskLoop"]
