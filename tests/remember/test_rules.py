"""Turns become self-contained statements: who, what, when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight.records import Kind, Outcome, Role, Source, Turn
from hindsight.remember.distil.rules import RuleDistiller

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
rules = RuleDistiller(ZONE)


def say(content, *, position=0, **fields):
    return Turn(
        **{"session_id": "s", "position": position, "content": content, "role": Role.USER, "at": NOW, "id": f"t{position}", **fields}
    )


def drafts(content, **fields):
    return rules.distil([say(content, **fields)])


@pytest.mark.parametrize(
    ("said", "speaker", "told"),
    [
        ("I'm allergic to peanuts.", None, "The user is allergic to peanuts."),
        ("I'm allergic to peanuts.", "Ana", "Ana is allergic to peanuts."),
        ("My name is Priya and I work as a nurse in Leeds.", "Priya", "Priya's name is Priya and Priya works as a nurse in Leeds."),
        ("i cant have dairy, im lactose intolerant", "Ana", "Ana can't have dairy, Ana is lactose intolerant."),
        ("My wife and I love Korean barbecue.", "Tom", "Tom and their wife love Korean barbecue."),
        ("I live in Porto with my husband and work as a baker.", "Ana", "Ana lives in Porto with their husband and works as a baker."),
        ("Never push directly to main in this repo.", None, "The user asks: never push directly to main in this repo."),
        ("Could you answer me in Spanish from here on?", None, "The user asks: answer the user in Spanish from here on."),
        (
            "Please stop using emojis in your messages to me.",
            None,
            "The user asks: stop using emojis in the assistant's messages to the user.",
        ),
        ("我对花生过敏。", None, "用户对花生过敏。"),
        ("我女儿叫朵朵，刚满六岁。", "张敏", "张敏的女儿叫朵朵，刚满六岁。"),
        ("我们团队五个人，其中三个远程。", "张敏", "张敏的团队五个人，其中三个远程。"),
        ("以后回答都用中文，谢谢。", None, "用户要求：以后回答都用中文，谢谢。"),
        ("叫我小陈就行，别叫陈总。", None, "用户要求：叫自己小陈就行，别叫陈总。"),
        ("千万不要直接推到 main 分支。", None, "用户要求：千万不要直接推到 main 分支。"),
    ],
)
def test_pronouns_become_the_speaker(said, speaker, told):
    assert [draft.content for draft in drafts(said, speaker=speaker)] == [told]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I prefer dark mode in every editor I use.", Kind.PREFERENCE),
        ("我更喜欢靠窗的座位。", Kind.PREFERENCE),
        ("The budget for the whole trip is $2,400, we can't go over that.", Kind.CONSTRAINT),
        ("生产库绝对不准动。", Kind.CONSTRAINT),
        ("I'm a backend developer at a small fintech in Tallinn.", Kind.FACT),
        ("我是杭州人，现在住在上海浦东。", Kind.FACT),
        ("Upgrading to Node 20 resolved the segfault.", Kind.EPISODE),
        ("因为报价晚交了两天，机场那个标没中。", Kind.EPISODE),
    ],
)
def test_signals_give_the_kind(said, kind):
    assert [draft.kind for draft in drafts(said)] == [kind]


def test_a_request_to_remember_keeps_what_it_names_as_it_stands():
    (english,) = drafts("Can you remember this for me? The alarm code is 4471.")
    (chinese,) = drafts("记住这个配置：workers=4，timeout=30。")
    assert english.content == "The alarm code is 4471."
    assert chinese.content == "workers=4，timeout=30。"
    assert english.tags == chinese.tags == ("remember",)
    assert english.confidence > 0.9


def test_a_request_may_point_at_what_was_said_before():
    kept = rules.distil([say("The gate code is 1958.", position=4), say("Remember that.", position=5)])
    assert [draft.content for draft in kept] == ["The gate code is 1958."]


def test_a_request_to_remember_a_limit_is_a_constraint():
    (draft,) = drafts("Please remember that I'm allergic to shellfish.")
    assert (draft.kind, draft.content, draft.tags) == (Kind.CONSTRAINT, "The user is allergic to shellfish.", ("remember",))


@pytest.mark.parametrize(
    ("said", "outcome", "code"),
    [
        ("curl returns 502 Bad Gateway on /api/orders since this morning.", Outcome.FAILURE, "502"),
        ("夜里跑批报 ORA-00942，表或视图不存在。", Outcome.FAILURE, "ORA-00942"),
        ("Turned out the DNS record was wrong; switching it fixed the timeouts.", Outcome.FIXED, None),
        ("修好了：环境变量应该叫 DB_URL，不是 DATABASE_URL。", Outcome.FIXED, None),
        ("I passed my driving test on the first attempt!", Outcome.SUCCESS, None),
        ("申诉成功，罚款撤销了。", Outcome.SUCCESS, None),
    ],
)
def test_endings_carry_outcome_and_error_code(said, outcome, code):
    (draft,) = drafts(said)
    assert (draft.kind, draft.outcome, draft.error_code) == (Kind.EPISODE, outcome, code)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I moved to Berlin last month.", "The user moved to Berlin last month (February 2026)."),
        ("I retired from the post office two years ago.", "The user retired from the post office two years ago (2024)."),
        ("我们去年夏天搬到了成都。", "用户这边去年夏天（2025年6月至2025年8月）搬到了成都。"),
        ("上周末我男朋友跟我求婚了，我们订婚啦！", "上周末（2026年3月7日至8日）用户的男朋友跟用户求婚了，用户这边订婚啦！"),
    ],
)
def test_relative_dates_are_written_out(said, told):
    assert drafts(said)[0].content == told


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("this week I'm in Berlin for a conference", datetime(2026, 3, 16, tzinfo=ZONE)),
        ("这周我在深圳出差。", datetime(2026, 3, 16, tzinfo=ZONE)),
        ("I'm off sick until Friday.", datetime(2026, 3, 14, tzinfo=ZONE)),
        ("我请病假，周五之前都不在。", datetime(2026, 3, 14, tzinfo=ZONE)),
        ("I'm on parental leave until September.", datetime(2026, 9, 1, tzinfo=ZONE)),
        ("I'm travelling in Japan until the 20th.", datetime(2026, 3, 21, tzinfo=ZONE)),
    ],
)
def test_what_holds_for_a_while_expires(said, ends):
    assert drafts(said)[0].expires_at == ends


@pytest.mark.parametrize("said", ["I live in Porto.", "我住在成都。", "I moved to Berlin this week.", "上午十点前不要打我电话，我上夜班。"])
def test_what_lasts_does_not_expire(said):
    assert all(draft.expires_at is None for draft in drafts(said))


def test_a_turn_without_a_time_keeps_its_words():
    (draft,) = drafts("I moved to Berlin last month.", at=None)
    assert draft.content == "The user moved to Berlin last month."
    assert draft.occurred_at is None


def test_what_happened_before_is_dated_then():
    (draft,) = drafts("The cron job didn't run last night because the server was set to UTC.")
    assert draft.occurred_at < NOW
    assert NOW - draft.occurred_at < timedelta(days=1)


def test_a_draft_points_back_to_its_turn():
    (draft,) = rules.distil([say("I'm allergic to peanuts.", position=7, session_id="chat-1", id="m7")])
    assert (draft.refs[0].session_id, draft.refs[0].first, draft.refs[0].last) == ("chat-1", 7, 7)
    assert (draft.session_id, draft.turn_ids, draft.source) == ("chat-1", ("m7",), Source.OBSERVED)
    assert draft.debug.distiller == rules.name


def test_a_statement_made_twice_is_one_draft_with_both_references():
    kept = rules.distil(
        [say("I'm allergic to peanuts."), say("Oh, I'm allergic to peanuts.", position=9), say("我住在成都。", position=10)]
    )
    peanuts = kept[0]
    assert [ref.first for ref in peanuts.refs] == [0, 9]
    assert peanuts.turn_ids == ("t0", "t9")
    assert peanuts.confidence > 0.95
    assert len(kept) == 2


def test_among_people_an_imperative_is_advice():
    talk = [say("Never give up, keep pushing!", speaker="Ana"), say("Remember to take breaks.", speaker="Ben", position=1)]
    assert rules.distil(talk) == []
    (draft,) = rules.distil([*talk, say("I'm allergic to your cat.", speaker="Ben", position=2)])
    assert draft.content == "Ben is allergic to Ana's cat."


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.TOOL])
@pytest.mark.parametrize("said", ["I prefer PostgreSQL here.", "Never commit secrets.", "请记住，下标从零开始。", "千万不要提交密钥。"])
def test_assistants_and_tools_state_no_wishes(role, said):
    assert drafts(said, role=role) == []


def test_what_was_recalled_is_not_read_again():
    block = "<memory_context>\nI'm allergic to peanuts.\n</memory_context>\nWhat should I cook?"
    assert drafts(block) == []
    assert drafts("<memory_context>我对花生过敏。") == []


@pytest.mark.parametrize(
    "said",
    [
        "",
        "   ",
        "?!",
        "\0\0",
        "\ud800 I",
        "🥜🥜🥜",
        "مرحبا أنا لا آكل الفول السوداني",
        "```\nnever push to main\n```",
        "> I'm allergic to peanuts",
        "a" * 50_000,
        "我" * 50_000,
    ],
)
def test_odd_text_yields_nothing_and_no_error(said):
    assert drafts(said) == []


def test_only_the_ends_of_a_paste_are_the_speakers_own():
    paste = "I'm vegan. Here is the article. " + "It says never push to main. " * 200 + "Please summarise it. Thanks. Short please."
    assert [draft.content for draft in drafts(paste)] == ["The user is vegan."]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.sampled_from(list(Role)))
def test_any_text_is_taken(said, role):
    for draft in rules.distil([say(said, role=role)]):
        assert draft.content.strip()
        assert 0 < draft.confidence <= 1


@settings(max_examples=40, deadline=None)
@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)))
def test_any_time_is_taken(moment):
    said = say(
        "This week I'm in Berlin until Friday and I moved here last month. 这周我在深圳出差，周五之前都不在。",
        at=moment.replace(tzinfo=UTC),
    )
    assert rules.distil([said])
