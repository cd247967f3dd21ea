"""Pages from templates: every text is escaped, every page carries the strict headers."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from hindsight import __version__
from hindsight.records import Memory, Precision
from hindsight.serve.caller import current
from hindsight.serve.console.entrance import TOKEN_COOKIE, cookie_in
from hindsight.serve.console.fates import fate, flags, judged, understood
from hindsight.serve.console.guard import FORM_COOKIE, HEADERS, form_value, keep
from hindsight.serve.console.texts import highlighted, plainly
from hindsight.serve.console.words import LANGUAGE_COOKIE, language_of, value, word

FOLDER = Path(__file__).parent
_PIECE = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.DOTALL)
_MAX_COMPARED = 4_000
_FORMATS = {
    Precision.DECADE: "%Y",
    Precision.YEAR: "%Y",
    Precision.SEASON: "%Y-%m",
    Precision.MONTH: "%Y-%m",
    Precision.WEEK: "%Y-%m-%d",
    Precision.DAY: "%Y-%m-%d",
}
# No evaluated code, no style that the policy forbids, and no page kept in the browser's storage: memories stay on the server.
_HTMX = json.dumps(
    {
        "allowEval": False,
        "allowScriptTags": False,
        "includeIndicatorStyles": False,
        "historyCacheSize": 0,
        "refreshOnHistoryMiss": True,
        "responseHandling": [
            {"code": "204", "swap": False},
            {"code": "[23]..", "swap": True},
            {"code": "[45]..", "swap": True, "error": True, "select": ".notice", "swapOverride": "innerHTML"},
        ],
    }
)
_EVERYWHERE = ("memories", "recall", "review", "sessions", "graph", "map", "insight", "activity")


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The templates, read once."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"version": __version__, "rooms": _EVERYWHERE, "htmx_config": _HTMX}
    made.filters |= {
        "number": lambda given: f"{given:.3g}" if isinstance(given, float) else f"{given:,}",
        "plainly": plainly,
        "highlighted": highlighted,
    }
    return made


def page(request: Request, name: str, *, zone: tzinfo | None = None, status: int = 200, **values: Any) -> Response:
    """The page ``name`` for this request."""
    language, form, caller = language_of(request), form_value(request), current()
    context = {
        "t": partial(_word, language),
        "v": lambda each: value(each, language),
        "when": partial(when, zone=zone),
        "happened": partial(happened, zone=zone),
        "diff": difference,
        "fate": partial(fate, language=language),
        "judged": partial(judged, language=language),
        "told_flags": partial(flags, language=language),
        "understood": partial(understood, language=language),
        "language": language,
        "form_value": form,
        "switch": f"?{request.url.include_query_params(lang='en' if language == 'zh' else 'zh').query}",
        "caller": caller,
        "scopes": caller.scopes if caller is not None else frozenset(),
        "logged_in": cookie_in(request.headers, TOKEN_COOKIE) is not None,
        "room": request.url.path.removeprefix("/").partition("/")[0],
        "done": request.query_params.get("done", ""),
    }
    response = HTMLResponse(templates().get_template(f"{name}.html").render(context | values), status_code=status, headers=HEADERS)
    if cookie_in(request.headers, FORM_COOKIE) != form:
        keep(request, response, FORM_COOKIE, form)
    if request.query_params.get("lang") in ("en", "zh"):
        keep(request, response, LANGUAGE_COOKIE, language)
    return response


def onward(target: str) -> Response:
    """To another page, after a form was dealt with."""
    return RedirectResponse(target, status_code=303, headers=HEADERS)


def when(moment: datetime | None, *, zone: tzinfo | None) -> str:
    """A time in the memory's zone, to the minute."""
    return "" if moment is None else moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def happened(memory: Memory, *, zone: tzinfo | None) -> str:
    """When it happened, no more exactly than is known."""
    local = memory.event_time.astimezone(zone)
    if memory.occurred_at is not None and memory.occurred_precision in _FORMATS:
        return local.strftime(_FORMATS[memory.occurred_precision])
    return local.strftime("%Y-%m-%d %H:%M")


def difference(before: object, after: object) -> Sequence[tuple[str, str]]:
    """What changed between two values, as (``same``, ``gone`` or ``new``, text) pieces."""
    old, new = ("" if each is None else str(each) for each in (before, after))
    if len(old) + len(new) > _MAX_COMPARED:
        return [each for each in (("gone", old), ("new", new)) if each[1]]
    first, second = _PIECE.findall(old), _PIECE.findall(new)
    pieces: list[tuple[str, str]] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("same", "".join(first[a:b])))
            continue
        pieces += [each for each in (("gone", "".join(first[a:b])), ("new", "".join(second[c:d]))) if each[1]]
    return pieces


def _word(language: Any, key: str, **values: object) -> str:
    return word(key, language, **values)
