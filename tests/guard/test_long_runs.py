"""Texts of one repeated piece: patterns that look at every place again from every place would take minutes."""

import pytest

from hindsight.guard.agreement import magnet
from hindsight.guard.scan import scan
from hindsight.guard.secrets import redact
from hindsight.text.entities import extract_entities
from hindsight.text.passages import split_passages
from hindsight.text.tokens import index_tokens

LONG = 100_000
PIECES = [
    "-",
    "#",
    "=",
    "*",
    ">",
    "[",
    "<",
    "x",
    "字",
    "1",
    " ",
    "\n",
    ".",
    ":",
    "|",
    "a ",
    "\n- ",
    "</",
    "<|",
    "\t",
    "请",
    "不",
    "not ",
    "@",
    "a@",
    "a.",
    "%41",
    "A",
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", PIECES)
def test_a_long_run_is_read_in_linear_time(piece):
    text = (piece * LONG)[:LONG]
    for read in (scan, redact, extract_entities, magnet, index_tokens, split_passages):
        read(text)
