"""Announced changes end what stood before; full stops of abbreviations end no sentence. From turns to superseded memories."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from hindsight import Hindsight
from hindsight.records import Kind, Role, Status, Turn
from hindsight.remember.distil.clauses import split_sentences
from hindsight.remember.distil.rules import RuleDistiller

ZONE = ZoneInfo("Asia/Shanghai")
rules = RuleDistiller(ZONE)


def drafts(content, role=Role.USER):
    turn = Turn(session_id="s", position=0, content=content, role=role, at=datetime(2026, 3, 11, 10, 0, tzinfo=ZONE), id="t0")
    return [(draft.kind, draft.content) for draft in rules.distil([turn])]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I prefer Dr. Lee for my check-ups.", "The user prefers Dr. Lee for their check-ups."),
        ("Remember that the code for gate no. 5 is 1234.", "The code for gate no. 5 is 1234."),
        ("Remember that Mr. Smith is the landlord.", "Mr. Smith is the landlord."),
        ("记住：我们只做 U.S. 市场。", "用户这边只做 U.S. 市场。"),
        ("Please never deploy before 9 a.m. on Mondays.", "The user asks: never deploy before 9 a.m. on Mondays."),
        ("I took Mr. Lee's advice and I'm vegan.", "The user took Mr. Lee's advice and the user is vegan."),
        ("I work for Acme Inc. in Leeds.", "The user works for Acme Inc. in Leeds."),
    ],
)
def test_an_abbreviation_ends_no_statement(said, kept):
    assert [content for _, content in drafts(said)] == [kept]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I get up at 6 a.m. My shift starts at 8 a.m. on Mondays.", ["I get up at 6 a.m.", "My shift starts at 8 a.m. on Mondays."]),
        ("We moved to Washington D.C. It rains. I like it.", ["We moved to Washington D.C.", "It rains.", "I like it."]),
        ("I bought apples, pears, etc. The shop closed.", ["I bought apples, pears, etc.", "The shop closed."]),
        (
            "Use tabs, e.g. Makefiles vs. Python. Is that a no. I think so.",
            ["Use tabs, e.g. Makefiles vs. Python.", "Is that a no.", "I think so."],
        ),
        ("Prof. J. R. Doe lives on St. Ann St. She teaches.", ["Prof. J. R. Doe lives on St. Ann St.", "She teaches."]),
    ],
)
def test_a_full_stop_after_an_abbreviation_ends_a_sentence_only_before_another(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("said", "kind", "kept"),
    [
        ("I switched to PostgreSQL.", Kind.FACT, "The user switched to PostgreSQL."),
        ("I've switched from vim to helix.", Kind.FACT, "The user has switched from vim to helix."),
        ("I no longer drink alcohol.", Kind.CONSTRAINT, "The user no longer drinks alcohol."),
        ("I am no longer allergic to peanuts.", Kind.FACT, "The user is no longer allergic to peanuts."),
        ("Actually I'm not allergic to peanuts.", Kind.FACT, "The user is not allergic to peanuts."),
        ("I'm not a vegetarian anymore.", Kind.FACT, "The user is not a vegetarian anymore."),
        ("I don't like coffee anymore.", Kind.PREFERENCE, "The user doesn't like coffee anymore."),
        ("I now prefer tea.", Kind.PREFERENCE, "The user now prefers tea."),
        ("I stopped eating meat.", Kind.CONSTRAINT, "The user stopped eating meat."),
        ("I left Google and joined Meta.", Kind.FACT, "The user left Google and joined Meta."),
        ("I used to use vim but now I use helix.", Kind.FACT, "The user no longer uses vim; the user now uses helix."),
        ("I used to drink coffee, but now I prefer tea.", Kind.PREFERENCE, "The user no longer drinks coffee; the user now prefers tea."),
        ("I quit my job at Google and now work at Meta.", Kind.FACT, "The user quit their job at Google and the user now works at Meta."),
        ("Make the budget 12000 instead.", Kind.CONSTRAINT, "The user's budget is now 12000."),
        ("我改用 PostgreSQL 了", Kind.FACT, "用户改用 PostgreSQL 了。"),
        ("我从 vim 换成了 helix", Kind.FACT, "用户从 vim 换成了 helix。"),
        ("我不再抽烟了", Kind.CONSTRAINT, "用户不再抽烟了。"),
        ("我不喜欢喝咖啡了。", Kind.PREFERENCE, "用户不喜欢喝咖啡了。"),
        ("我换工作了现在在腾讯上班", Kind.FACT, "用户换工作了，现在在腾讯上班。"),
        ("我以前用 vim，现在用 helix。", Kind.FACT, "用户不再用 vim，现在用 helix。"),
        ("我现在不吃素了。", Kind.FACT, "用户现在不吃素了。"),
        ("更正一下，我对花生不过敏。", Kind.FACT, "用户对花生不过敏。"),
        ("我现在更喜欢茶了。", Kind.PREFERENCE, "用户现在更喜欢茶了。"),
        ("预算改成一万二吧", Kind.CONSTRAINT, "用户的预算改成一万二。"),
    ],
)
def test_a_change_is_a_statement_of_the_kind_of_what_changed(said, kind, kept):
    assert drafts(said) == [(kind, kept)]


@pytest.mark.parametrize(
    "said",
    [
        "Should I switch to PostgreSQL?",
        "If I switched to PostgreSQL, would it be faster?",
        "I might switch to PostgreSQL.",
        "My boss switched to PostgreSQL.",
        "My sister left Google and joined Meta.",
        "She no longer drinks alcohol.",
        "I no longer drink alcohol, just kidding.",
        "Do you no longer support Python 3.8?",
        '"I no longer drink alcohol", he said.',
        "I can't do this anymore.",
        "I'm no longer sure about that.",
        "I'm no longer hungry, forget the recipe.",
        "I don't have any questions anymore.",
        "I stopped using it.",
        "I stopped to look at the view.",
        "I switched to English for this message.",
        "I changed the code to use async.",
        "I now have a question.",
        "I quit drinking, said my uncle.",
        "Set the budget to 500 in the config file.",
        "我现在用户很多。",
        "我现在喝水。",
        "我现在学到了很多。",
        "我不再多说了。",
        "把文中的预算改成 500。",
        "我要不要改用 PostgreSQL？",
        "你不再抽烟了吗？",
        "如果我改用 PostgreSQL 会怎么样？",
        "我想改用 PostgreSQL。",
        "我同事改用 PostgreSQL 了。",
        "他不再抽烟了。",
        "他换工作了现在在腾讯上班。",
        "哈哈我不再抽烟了才怪。",
        "小说里我不再抽烟了。",
        "把这句话改成被动语态。",
        "我把标题改成了蓝色。",
        "我不吃了。",
        "我不喝了，谢谢。",
        "我不知道了。",
        "我现在做第二题。",
    ],
)
def test_no_change_is_taken_from_questions_jokes_suppositions_others_and_the_task_at_hand(said):
    assert drafts(said) == []


def test_an_assistant_announces_no_change_of_its_user():
    assert drafts("I switched to PostgreSQL.", Role.ASSISTANT) == drafts("我改用 PostgreSQL 了。", Role.ASSISTANT) == []


CHANGES = [
    ("I use MySQL 8.", "I switched to PostgreSQL."),
    ("My favourite editor is vim.", "I switched from vim to helix."),
    ("I'm allergic to peanuts.", "I am no longer allergic to peanuts."),
    ("I'm allergic to peanuts.", "Actually I'm not allergic to peanuts."),
    ("I'm a vegetarian.", "I'm not a vegetarian anymore."),
    ("I like coffee.", "I don't like coffee anymore."),
    ("I love drinking coffee.", "I used to drink coffee, but now I prefer tea."),
    ("I love eating meat.", "I stopped eating meat."),
    ("I work at Google.", "I left Google and joined Meta."),
    ("My camera budget is $300.", "My camera budget is now $500."),
    ("我们的数据库是 MySQL，记住。", "我改用 PostgreSQL 了。"),
    ("我习惯用 vim 写代码。", "我从 vim 换成了 helix。"),
    ("我平时喜欢抽烟。", "我不再抽烟了。"),
    ("我在百度上班。", "我换工作了现在在腾讯上班"),
    ("我对花生过敏。", "我对花生已经不过敏了。"),
    ("我对花生过敏。", "其实我对花生不过敏。"),
    ("我吃素。", "我现在不吃素了。"),
    ("我喜欢喝咖啡。", "我已经不喝咖啡了。"),
    ("我的装修预算是一万。", "装修预算改成一万二吧。"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
async def test_what_a_later_session_says_to_have_changed_is_superseded(tmp_path, before, after):
    async with Hindsight.open(tmp_path / "store", embedder="none", seal_key="off") as memory:
        for said in (before, after):
            async with memory.session() as session:
                await session.turn(said)
        assert await memory.settle()
        (new,) = (await memory.list()).items
        old = await memory.get(new.supersedes)
        assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (("我的装修预算是一万。", "预算改成一万二吧。"), "用户的装修预算改成一万二。"),
        (("My camera budget is $300.", "Make the budget $500."), "The user's camera budget is now $500."),
    ],
)
async def test_a_changed_budget_is_that_of_which_the_session_spoke(tmp_path, said, kept):
    async with Hindsight.open(tmp_path / "store", embedder="none", seal_key="off") as memory:
        async with memory.session() as session:
            for words in said:
                await session.turn(words)
        assert await memory.settle()
        assert [each.content for each in (await memory.list()).items] == [kept]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'd rather you keep answers under three sentences.", "The user would rather the assistant keep answers under three sentences."),
        ("My doctor told me to avoid salt.", "The user's doctor told the user to avoid salt."),
        ("Call me Jo.", "The user asks: call the user Jo."),
        ("以后叫我老王。", "用户要求：以后叫自己老王。"),
        ("最烦开会拖堂。", "用户说：最烦开会拖堂。"),
        ("I use Postgres 16.", "The user uses Postgres 16."),
    ],
)
def test_short_wishes_orders_and_tools_are_kept(said, kept):
    assert [content for _, content in drafts(said)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "Could you remember to be nice?",
        "My name is Batman, obviously.",
        "I'm the king of the world.",
        "I'm allergic to bad code.",
        "Call me Monday.",
    ],
)
def test_jokes_and_pleasantries_are_not_kept(said):
    assert drafts(said) == []


def test_noise_is_read_in_linear_time():
    from time import process_time

    for piece in ("I used to use vim but ", "no longer ", "我以前用", "从换成", "Dr. ", "A.", "a.m. ", "switched from a ", "预算改成"):
        times = []
        for repeats in (400, 800, 1600):
            started = process_time()
            drafts(piece * repeats)
            times.append(process_time() - started)
        assert all(later < 3 * max(earlier, 0.05) for earlier, later in pairwise(times)), piece
