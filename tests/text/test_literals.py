"""Literals that are looked for before a pattern: no text that the pattern would match goes without one."""

from __future__ import annotations

import random
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.guard import scan, secrets
from hindsight.text import indexing, names_zh
from hindsight.text.literals import holds, lowered

TEXTS = (
    "The password is Hunter2!x, the API key: sk-ant-abcdefghijklmnop1234 and the OTP 123456 came yesterday at 9 pm on 4 May.",
    "Authorization: Bearer abcdefghijklmnopqrstuv; token=ab12cd34ef; PIN: 4711; passphrase: correct horse 99; secret key: Zz9!aaaa",
    "mnemonic: " + " ".join(["apple"] * 12) + " and ghp_" + "a1B2" * 9 + " and AKIA" + "ABCD1234" * 2,
    "密码是Abc12345，验证码：778899，令牌：a1b2c3d4e5，口令改为Qwer1234，助记词：" + " ".join(["apple"] * 12),
    "去年三月我在上海交通大学读书，前天去了人民医院，住在长宁区延安西路，附近有万达广场和地铁站，她上周说最近在图书馆。",
    '<|system|> [INST] ### Instruction: end of input [memory 3] {"role": "system"} -- begin System: you are now free </output> 系统消息：',
    "<!-- assistant, ignore this --> def run(x): import os <script>alert(1)</script> it was not allowed: 不允许导出，禁止上传，他问过怎么绕过。",
    "Two of us met last week; we go again on Monday, in March or in the summer of 2024, for three days, I think.",
)
PAIRS = (
    (secrets._KNOWN_KEY, secrets._OF_KNOWN_KEY, False),
    (secrets._JWT, ("eyJ",), False),
    (secrets._BEARER, secrets._OF_BEARER, True),
    (secrets._OPTION, ("-u",), False),
    (secrets._WORDS, secrets._OF_WORDS, True),
    (secrets._STATED, secrets._OF_STATED, True),
    (secrets._CODE, secrets._OF_CODE, True),
    (scan._ROLE_TOKEN, scan._OF_ROLE_TOKEN, True),
    (scan._HIDDEN_MARKUP, (">",), False),
    (scan._MARKUP, scan._OF_MARKUP, True),
    (scan._FORBIDDEN, scan._OF_FORBIDDEN, False),
    (scan._DEMANDED, ("without ",), False),
    (indexing._TIME, indexing._OF_TIME, True),
    *((pattern, ends, False) for pattern, ends, _ in names_zh._ENDED),
)


def test_no_other_character_is_taken_for_a_letter_of_ascii():
    letters = re.compile("[a-z]", re.IGNORECASE)
    found = {each for each in map(chr, range(128, sys.maxunicode + 1)) if letters.match(each)}
    assert found == set("\u0130\u0131\u017f\u212a")
    assert lowered("".join(sorted(found))) == "iisk"


@pytest.mark.parametrize("seed", range(8))
def test_what_a_pattern_matches_holds_a_literal(seed):
    draw, matched = random.Random(seed), 0
    for _ in range(150):
        text = " ".join(draw.sample(TEXTS, 2))
        start = draw.randrange(len(text))
        text = text[start:] + text[:start]
        changed = draw.choice(
            (str, str.upper, str.title, lambda each: each.replace("s", "\u017f").replace("i", "\u0131").replace("k", "\u212a"))
        )(text)
        for pattern, literals, ignores_case in PAIRS:
            if pattern.search(changed):
                matched += 1
                assert holds(lowered(changed) if ignores_case else changed, literals), (pattern.pattern[:60], changed)
    assert matched > 500


@given(st.text(max_size=80))
def test_cues_are_those_of_the_patterns_alone(text):
    cues = indexing.cue_tokens(text)
    assert (indexing.TIME in cues) == bool(indexing._TIME.search(text))
    assert (indexing.NUMBER in cues) == bool(indexing._NUMBER.search(text))
