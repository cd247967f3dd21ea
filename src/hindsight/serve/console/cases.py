"""A judged query as an evaluation case: a BEIR folder of its candidates, to take away and measure with ``hindsight eval retrieval``."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.errors import InvalidInput
from hindsight.serve.console.fields import text
from hindsight.serve.console.gathered import ids_in
from hindsight.serve.console.guard import HEADERS, checked_form
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.records import Memory

_MAX_QUERY = 10_000


def cases(desk: Desk) -> list[Route]:
    """The route, answered from ``desk``."""

    async def save(request: Request) -> Response:
        form = await checked_form(request)
        query = text(form, "query")
        if not query or len(query) > _MAX_QUERY:
            raise InvalidInput(f"query: from 1 to {_MAX_QUERY:,} characters are needed.")
        memory = await callers_memory(desk, "read")
        judged = {id: text(form, f"verdict-{id}") for id in ids_in([each for each in form.getlist("ids") if isinstance(each, str)])}
        if "relevant" not in judged.values():
            raise InvalidInput("a case needs an answer: mark at least one candidate as relevant.")
        found = [await memory.get(id) for id in judged]
        content = packed([each for each in found if each is not None], query, judged)
        name = f"case-{case_id(query)}.zip"
        return Response(content, media_type="application/zip", headers=HEADERS | {"Content-Disposition": f'attachment; filename="{name}"'})

    return [Route("/recall/case", save, methods=["POST"])]


def packed(memories: Sequence[Memory], query: str, judged: Mapping[UUID, str]) -> bytes:
    """A zip of ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv``; ``judged`` are ``relevant``, ``not`` or nothing by id."""
    marks = {"relevant": 1, "not": 0}
    corpus = [
        {"_id": str(each.id), "title": "", "text": each.content, "metadata": {"time": each.event_time.isoformat()}} for each in memories
    ]
    name = case_id(query)
    judgements = [f"{name}\t{each.id}\t{marks[judged[each.id]]}" for each in memories if judged[each.id] in marks]
    files = {
        "corpus.jsonl": "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in corpus),
        "queries.jsonl": json.dumps({"_id": name, "text": query}, ensure_ascii=False) + "\n",
        "qrels/test.tsv": "\n".join(["query-id\tcorpus-id\tscore", *judgements]) + "\n",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content.encode("utf-8", "replace"))
    return target.getvalue()


def case_id(query: str) -> str:
    """The case's id: the same query has the same, so that cases can be joined."""
    return hashlib.blake2b(query.encode("utf-8", "replace"), digest_size=6).hexdigest()
