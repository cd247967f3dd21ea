"""Whatever a file holds, an importer reads it or says where it cannot: no other exception comes out."""

from __future__ import annotations

import json
import os
from datetime import UTC

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight.errors import HindsightError, ImportFailed
from hindsight.remember.importers.detect import FORMATS, format_for
from hindsight.remember.importers.source import Source

EXAMPLES = int(os.environ.get("HINDSIGHT_DRILL_ROUNDS", "20"))
NAMES = sorted(format.name for format in FORMATS)
WORDS = st.sampled_from(
    "id _id text content role user assistant tool system type human ai data kwargs lc messages values config configurable thread_id mapping parent "
    "message author parts content_type current_node conversation_id sessionId uuid metadata scope time name tool_calls function arguments args "
    "input tool_use tool_result created_at timestamp kind namespace 你好".split()
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=5), max_leaves=20
)
NODE = st.fixed_dictionaries(
    {"parent": st.none() | WORDS | VALUES},
    optional={
        "message": st.fixed_dictionaries(
            {"author": st.just({"role": "user"}) | VALUES, "content": st.just({"content_type": "text", "parts": ["x"]}) | VALUES},
            optional={"create_time": VALUES, "id": VALUES, "metadata": VALUES},
        )
        | VALUES
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant", "tool", "system"]) | VALUES,
        "type": st.sampled_from(["user", "assistant", "human", "ai", "tool", "constructor"]) | VALUES,
        "content": VALUES,
        "message": VALUES,
        "mapping": st.dictionaries(WORDS, NODE | VALUES, max_size=3),
        "current_node": WORDS | VALUES,
        "conversation_id": WORDS,
        "sessionId": WORDS,
        "uuid": WORDS,
        "data": VALUES,
        "kwargs": VALUES,
        "messages": VALUES,
        "tool_calls": VALUES,
        "_id": WORDS,
        "text": WORDS | VALUES,
        "metadata": VALUES,
        "created_at": VALUES,
    },
)
QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read_all(path, name) -> None:
    try:
        found = format_for(path, name)
        for entry in found.read(Source(path, found.files(path), UTC)):
            assert entry.draft is None or isinstance(entry.draft, dict)
    except ImportFailed as error:
        if str(path) not in str(error):
            raise


@QUICK
@pytest.mark.parametrize("name", ["auto", *NAMES])
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes(tmp_path, name, data):
    path = tmp_path / "file"
    path.write_bytes(data)
    read_all(path, name)


@QUICK
@pytest.mark.parametrize("name", ["auto", *NAMES])
@given(values=st.lists(MESSAGE | VALUES, min_size=1, max_size=3), as_lines=st.booleans())
def test_any_json(tmp_path, name, values, as_lines):
    path = tmp_path / ("file.jsonl" if as_lines else "file.json")
    path.write_text("\n".join(json.dumps(value) for value in values) if as_lines else json.dumps(values), encoding="utf-8")
    read_all(path, name)


async def test_any_json_into_a_store(tmp_path):
    from hindsight import Hindsight

    async with Hindsight.open(tmp_path / "store", embedder="none") as memory:
        values = [
            {"role": "user", "content": text}
            for text in ("‮abc", "שלום", "👩‍👩‍👧", "\u0000\ud800", " ", "x" * 2_000_000, "混合 mixed العربية")
        ]
        path = tmp_path / "chat.json"
        path.write_text(json.dumps(values))
        report = await memory.import_file(path)
        assert (report.stored, report.skipped, report.turns) == (6, 1, 6)
        longest = max([each async for each in memory.export()], key=lambda each: len(each.content))
        assert longest.content.endswith("(+951,488)")
        (turn,) = await memory.turns(longest.session_id, 5, 5)
        assert len(turn.content) == 2_000_000
        with pytest.raises(HindsightError):
            await memory.import_file(tmp_path / "absent")
