"""The reduced import of the MCP SDK, in processes of their own."""

from __future__ import annotations

import subprocess
import sys

CHECK = """
import sys
from hindsight.serve.mcp import sdk
{before}
sdk.load_for_stdio()
from hindsight.serve.mcp import connection
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("starlette", "uvicorn", "sse_starlette")))
import mcp, mcp.server, starlette.applications
from mcp.server.lowlevel.server import Server
from mcp.server.auth.settings import AuthSettings
assert mcp.Client and mcp.server.MCPServer and mcp.server.Server is Server is connection.build_server(None).__class__
assert starlette.applications.Starlette.__mro__[1] is object and hasattr(starlette.applications.Starlette, "build_middleware_stack")
assert issubclass(AuthSettings, __import__("pydantic").BaseModel)
"""


def run(before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", CHECK.format(before=before)], capture_output=True, text=True, timeout=60)


def test_no_web_framework_is_loaded_and_the_real_packages_come_when_asked_for() -> None:
    done = run()
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_an_sdk_that_does_not_bear_it_is_loaded_whole() -> None:
    done = run('sdk.ABSENT = (*sdk.ABSENT, "opentelemetry")')
    assert done.returncode == 0, done.stderr
    assert "loading it whole" in done.stderr
    assert "starlette" in done.stdout
