"""Loading the MCP SDK for stdio without what it needs for HTTP only.

The SDK's packages import its client, its decorators and a web framework at their top: half of the start-up time of a process
that an editor starts and waits for, for parts that a stdio server never calls. Here the SDK's packages are entered without
running their ``__init__``, and the web packages are stood in for by empty ones while its modules load. Afterwards nothing of
this is left in ``sys.modules``, so that a later import gets the real packages.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

HOLLOW = ("mcp", "mcp.server")
"""Packages that are entered without running their ``__init__``."""
ABSENT = ("starlette", "sse_starlette", "uvicorn", "mcp.server.auth", "mcp.server.streamable_http", "mcp.server.streamable_http_manager")
"""Modules (with all below them) whose names the SDK's other modules import, but do not use on stdio."""
USED = ("mcp.server.lowlevel.server", "mcp.server.context", "mcp.shared.message", "mcp.shared.exceptions")
"""The SDK's modules that our stdio server uses."""
_log = logging.getLogger(__name__)


def load_for_stdio() -> None:
    """Load the modules of ``USED``, fast; where an SDK of another version does not bear that, leave it to the plain imports."""
    try:
        with _reduced_imports():
            for name in USED:
                import_module(name)
    except Exception as error:  # noqa: BLE001 - whatever that SDK trips over, the plain import is the cure
        _log.warning("the MCP SDK does not load in parts, loading it whole: %r", error)
        for name in [each for each in sys.modules if each.partition(".")[0] == "mcp"]:
            del sys.modules[name]


@contextmanager
def _reduced_imports() -> Iterator[None]:
    collects = gc.isenabled()
    gc.disable()  # importing makes long-lived objects only: collecting meanwhile is a tenth of the time for nothing
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for module in finder.made:
            sys.modules.pop(module, None)
        if collects:
            gc.enable()


class _Finder(MetaPathFinder, Loader):
    def __init__(self) -> None:
        self.made: list[str] = []

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002 - the import system passes it
        if any(fullname == absent or fullname.startswith(f"{absent}.") for absent in ABSENT):
            self.made.append(fullname)
            return ModuleSpec(fullname, self, is_package=True)
        if fullname in HOLLOW:
            real = PathFinder.find_spec(fullname, path)
            if real is not None:
                self.made.append(fullname)
                hollow = ModuleSpec(fullname, self, is_package=True)
                hollow.submodule_search_locations = real.submodule_search_locations
                return hollow
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None if spec.name in HOLLOW else _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: that is the point."""


class _StandIn(ModuleType):
    """A module in which every public name is an empty class, enough to be imported, annotated with and inherited from."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (), {"__module__": self.__name__})
        setattr(self, name, value)
        return value
