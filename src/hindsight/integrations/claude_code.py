"""Claude Code: its MCP entry and hooks, written and taken out again, and what a hook answers."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hindsight.errors import InvalidInput
from hindsight.integrations.talking import block_for, careful

NAME = "hindsight"
HOOK = "hook claude-code"
HOOK_SECONDS = 15
RECALLING, ENDING = "UserPromptSubmit", "SessionEnd"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a file: its text before and after; None where there is no file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def needed(self) -> bool:
        return self.before != self.after


def plan(
    project: Path | None, *, command: Sequence[str], server: Sequence[str] = ("mcp",), remove: bool = False, transcripts: bool = False
) -> list[Change]:
    """The files of a project, or of the user where none is given, as they are and as they will be.

    Args:
        project: its folder; None: for all projects of this user.
        command: runs ``hindsight``, with its global options.
        server: what follows it to start the MCP server.
        remove: take out what was written, and nothing else.
        transcripts: import each conversation when it ends.

    Raises:
        InvalidInput: a file is no JSON object, or holds an entry of that name that is not ours.
    """
    if project is not None and not project.is_dir():
        raise InvalidInput(f"--project: {project} is no folder.")
    home = Path.home()
    servers = project / ".mcp.json" if project is not None else home / ".claude.json"
    settings = (project or home) / ".claude" / "settings.json"
    entry = {"command": command[0], "args": [*command[1:], *server]}
    hook = " ".join([*map(_quoted, command), HOOK])
    return [
        _changed(servers, lambda held: _with_server(held, servers, None if remove else entry)),
        _changed(settings, lambda held: _with_hooks(held, None if remove else hook, transcripts=transcripts)),
    ]


def apply(changes: Sequence[Change]) -> None:
    """Write the files, each whole or not at all. A file that only held our entries goes."""
    for change in changes:
        if not change.needed:
            continue
        try:
            if change.after is None:
                change.path.unlink(missing_ok=True)
                continue
            change.path.parent.mkdir(parents=True, exist_ok=True)
            mode = change.path.stat().st_mode & 0o777 if change.before is not None else 0o600
            target = change.path.resolve()  # a link stays a link
            handle, made = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(change.after)
            Path(made).chmod(mode)
            Path(made).replace(target)
        except OSError as error:
            raise InvalidInput(f"{change.path} cannot be written: {error.strerror or error}.") from error


def _changed(path: Path, change: Any) -> Change:
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else None
        held = json.loads(before) if before and before.strip() else {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} is no JSON that can be read ({error}); nothing was written. Mend it, or write it by hand.") from error
    if not isinstance(held, dict):
        raise InvalidInput(f"{path} holds no JSON object; nothing was written.")
    new = change(json.loads(json.dumps(held)))
    if new == held:
        return Change(path, before, before)
    return Change(path, before, json.dumps(new, ensure_ascii=False, indent=2) + "\n" if new else None)


def _with_server(held: dict[str, Any], path: Path, entry: Mapping[str, Any] | None) -> dict[str, Any]:
    servers = held.get("mcpServers", {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{path}: mcpServers is no object; nothing was written.")
    standing = servers.get(NAME)
    if standing is not None and "mcp" not in (standing.get("args") or () if isinstance(standing, dict) else ()):
        raise InvalidInput(f"{path} has an MCP server named {NAME!r} that is another one; rename it first. Nothing was written.")
    servers = {name: each for name, each in servers.items() if name != NAME} | ({NAME: dict(entry)} if entry is not None else {})
    return _put(held, "mcpServers", servers)


def _with_hooks(held: dict[str, Any], command: str | None, *, transcripts: bool) -> dict[str, Any]:
    hooks: dict[str, Any] = {}
    for event, groups in (held.get("hooks") or {}).items():
        kept = [group for each in groups if (group := _without_ours(each)) is not None] if isinstance(groups, list) else groups
        if kept:
            hooks[event] = kept
    if command is not None:
        ours = {"hooks": [{"type": "command", "command": command, "timeout": HOOK_SECONDS}]}
        for event in (RECALLING, ENDING) if transcripts else (RECALLING,):
            hooks[event] = [*hooks.get(event, ()), ours]
    return _put(held, "hooks", hooks)


def _without_ours(group: Any) -> Any | None:
    """A group of hooks without ours; None where nothing is left of it."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    left = [each for each in group["hooks"] if not (isinstance(each, dict) and HOOK in str(each.get("command", "")))]
    return {**group, "hooks": left} if left else None if group["hooks"] else group


def _put(held: dict[str, Any], name: str, value: dict[str, Any]) -> dict[str, Any]:
    """The object with that member, in its old place; without it where it is empty and was not there, or only held ours."""
    if value:
        return {**held, name: value}
    return {key: each for key, each in held.items() if key != name or not each}


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)


async def answer(event: Mapping[str, Any], memory: Any) -> dict[str, Any] | None:
    """What a hook tells Claude Code: for a prompt what helps with it; the end of a conversation is imported, and answered by nothing."""
    kept = careful(memory)
    if event.get("hook_event_name") == RECALLING and (prompt := str(event.get("prompt") or "").strip()):
        block = await block_for(kept, prompt, {})
        turn = {
            "session_id": str(event.get("session_id") or "claude-code"),
            "position": int(time.time()),
            "content": prompt,
            "role": "user",
        }
        await kept.observe([turn])
        return {"hookSpecificOutput": {"hookEventName": RECALLING, "additionalContext": block}} if block else None
    if event.get("hook_event_name") == ENDING and (transcript := event.get("transcript_path")):
        await kept.import_file(str(transcript), format="claude-code")
    return None
