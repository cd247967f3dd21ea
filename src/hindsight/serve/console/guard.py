"""What every page of the console keeps to: a strict policy for browsers, and forms that only the console's own pages can send."""

from __future__ import annotations

import hmac
import re
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from hindsight.errors import AccessDenied
from hindsight.serve.console.entrance import cookie_in

FORM_COOKIE = "hindsight_form"
FORM_FIELD = "form"
_VALUE = re.compile(r"[A-Za-z0-9_-]{20,64}")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: with it browsers name no origin when they send a form, and the guard of the host wants to know it.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def form_value(request: Request) -> str:
    """What forms of this browser carry: the value of its cookie, or a fresh one."""
    value = cookie_in(request.headers, FORM_COOKIE)
    return value if value is not None and _VALUE.fullmatch(value) else secrets.token_urlsafe(32)


async def checked_form(request: Request) -> FormData:
    """The fields of a form that one of the console's own pages sent.

    Raises:
        AccessDenied: another page sent it, or it cannot be told.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    foreign = site not in (None, "same-origin", "none") or (origin is not None and urlsplit(origin).netloc != request.headers.get("host"))
    form = await request.form()
    kept, sent = cookie_in(request.headers, FORM_COOKIE), form.get(FORM_FIELD)
    known = kept is not None and _VALUE.fullmatch(kept) is not None and isinstance(sent, str)
    if foreign or not known or not hmac.compare_digest(str(kept).encode(), str(sent).encode("utf-8", "replace")):
        raise AccessDenied(
            "this form did not come from a page of this console that is still valid; load the page again and send it once more."
        )
    return form


def keep(request: Request, response: Response, name: str, value: str) -> None:
    """Set a cookie that no script reads and no other site sends."""
    response.set_cookie(name, value, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/")
