"""The memory as whoever calls over REST or looks at the console sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hindsight.errors import AccessDenied
from hindsight.records import Channel, Scope
from hindsight.serve.caller import Caller, current
from hindsight.serve.desk import Desk

if TYPE_CHECKING:
    from hindsight.memory import Hindsight

PERSONS: frozenset[Scope] = frozenset({"review", "admin"})
"""Who holds one of these is a person: what they write comes by the channel ``user``. All others are agents."""


async def callers_memory(desk: Desk, *needed: Scope) -> Hindsight:
    """The open memory, speaking for the caller of the request under way.

    Raises:
        AccessDenied: the caller lacks one of the scopes ``needed``.
    """
    caller = the_caller()
    for scope in needed:
        if scope not in caller.scopes:
            raise AccessDenied(
                f"this token may not {scope}: the scope {scope!r} is needed; ask the server's owner for a token that has it "
                f"(`hindsight token create --scope {scope} …`)."
            )
    principal = caller.principal(Channel.USER if caller.scopes & PERSONS else Channel.AGENT)
    return (await desk.memory()).acting_as(principal, namespace=caller.namespace(desk.settings.namespace))


def the_caller() -> Caller:
    """Who makes the request under way.

    Raises:
        AccessDenied: nobody found out; the request came around the guard.
    """
    caller = current()
    if caller is None:
        raise AccessDenied("it is not known who asks; the application must be built with `hindsight.serve.app.build_app`.")
    return caller
