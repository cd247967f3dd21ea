"""What is kept can be read alone: by whom, about what; what cannot is left out, and so is what says nothing lasting."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hindsight.records import Outcome, Role, Turn
from hindsight.remember.distil.person_en import EnglishTeller
from hindsight.remember.distil.rules import RuleDistiller

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
rules = RuleDistiller(ZONE)


def say(content, *, position=0, **fields):
    return Turn(
        **{"session_id": "s", "position": position, "content": content, "role": Role.USER, "at": NOW, "id": f"t{position}", **fields}
    )


def told(content, **fields):
    return [draft.content for draft in rules.distil([say(content, **fields)])]


def between_friends(content):
    """What Ana's words yield in a talk with Tom."""
    talk = [say("Hi!", speaker="Tom"), say(content, speaker="Ana", position=1)]
    return [draft.content for draft in rules.distil(talk)]


@pytest.mark.parametrize(
    "said",
    [
        "I love escaping to that place.",
        "I named her Coco, and I adore puppies like her.",
        "I've been working on for years, and I love that.",
        "I've been one because I lost my job.",
        "I've been using the same set for months now.",
        "I have been working in the industry for five years.",
        "I just love the characters in it.",
        "I've been learning about it in my online course.",
        "Reminds me how much I love dancing.",
        "我特别喜欢这种感觉。",
        "我很喜欢他们做的菜。",
        "我一直住在那里。",
    ],
)
def test_what_nothing_near_names_is_left_out(said):
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I teach chess to beginners. I have been working in the field for five years.",
            "The user teaches chess to beginners. The user has been working in the field for five years.",
        ),
        (
            "I follow two travel bloggers. I love seeing their photo diaries.",
            "The user follows two travel bloggers. The user loves seeing their photo diaries.",
        ),
        ("我在学做川菜。我特别喜欢这个味道。", "我在学做川菜。我特别喜欢这个味道。".replace("我", "用户")),
        ("楼下开了一家面馆。我特别喜欢这家的汤。", "楼下开了一家面馆。用户特别喜欢这家的汤。"),
    ],
)
def test_the_sentence_before_explains_what_it_names(said, kept):
    assert kept in told(said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I do like nature, so that might be fun with somebody else.", "Ana does like nature."),
        ("I'm a big fan of board games, and I've been wanting to try this one for a while.", "Ana is a big fan of board games."),
        ("Lots has happened since we last talked - I joined a rowing club!", "Ana joined a rowing club!"),
        ("Haven't talked in ages, wanted to let you know I adopted a dog!", "Ana adopted a dog!"),
    ],
)
def test_what_speaks_of_the_talk_is_cut_off(said, kept):
    assert between_friends(said) == [kept]


def test_a_chinese_statement_ends_before_what_turns_to_the_listener():
    assert told("我平时喜欢用表格做计划，你有更好的工具吗？") == ["用户平时喜欢用表格做计划。"]
    assert told("我喜欢露营，今天下雨没去成。") == ["用户喜欢露营。"]


@pytest.mark.parametrize(
    "said",
    ["针对我父亲血压高的情况，应该怎么选保险？", "除了我之前做的拉伸，还有别的办法吗？", "如果我喜欢安静，住哪个区好？"],
)
def test_half_of_a_question_is_no_statement(said):
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "purpose"),
    [("My budget is around $300.", False), ("I need a tent for two. My budget is around $300.", True), ("My camera budget is $300.", True)],
)
def test_a_budget_needs_its_purpose_to_be_a_memory_but_not_to_stand_on_the_board(said, purpose):
    assert bool(told(said)) is purpose
    assert rules.distil([say(said)], in_context=True)


def test_a_chinese_budget_needs_its_purpose_too():
    assert told("我的预算是三千块。") == []
    assert told("我想买一台相机。我的预算是三千块。") == ["用户想买一台相机。用户的预算是三千块。"]
    assert told("装修预算是三万块。")


@pytest.mark.parametrize(
    "said",
    [
        "We won a prize!",  # who, besides Ana?
        "The party was a great success!",
        "I just like helping people.",
        "I love being around friends and having such a great time.",
        "Nothing beats a good meal with loved ones.",
        "I think I'm an expert climber now.",
        "I love the idea of a picnic.",
    ],
)
def test_small_talk_is_not_kept(said):
    assert between_friends(said) == []


@pytest.mark.parametrize(
    "said",
    ["这个思路很清晰，很适合我现在的状态。", "很具体，记下了。", "我都记下了：少盐少油。", "我可能更偏向红色。", "今天累得不想做饭了。"],
)
def test_chinese_small_talk_is_not_kept(said):
    assert told(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Summarise the notes below. Keep all dates. Please write in English language.",
        "Give me an example of when you would use a queue.",
    ],
)
def test_an_order_for_one_task_is_not_kept(said):
    assert told(said) == []


def test_a_standing_order_is_kept():
    assert told("Please always answer in English.") == ["The user asks: always answer in English."]
    assert told("以后回答都用中文。") == ["用户要求：以后回答都用中文。"]


def test_we_is_told_with_whom_the_words_before_name():
    assert between_friends("I spend weekends with my cousins. We love playing board games.") == [
        "Ana and their cousins love playing board games."
    ]


def test_a_failure_that_is_overcome_in_the_next_sentence_is_repaired():
    (draft,) = rules.distil([say("My laptop crashed last night. It took hours, but I finally got the files back.")])
    assert draft.outcome is Outcome.FIXED
    assert "got the files back" in draft.content


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I prefer my Mustang I V2 and I practise daily.", "Ana prefers their Mustang I V2 and Ana practises daily."),
        ("My grandfather fought in World War I and I have his medals.", "Ana's grandfather fought in World War I and Ana has his medals."),
        ("I have type I diabetes.", "Ana has type I diabetes."),
        ("On Monday I was ill.", "On Monday Ana was ill."),
        ("In Rome I always walk.", "In Rome Ana always walks."),
        ('I love the show "My Happy Family".', 'Ana loves the show "My Happy Family".'),
        ("I listen to My Favorite Murder.", "Ana listens to My Favorite Murder."),
        ("I love their songs and my own.", "Ana loves their songs and Ana's own."),
        ("Juan and I meet on Fridays, and I'm glad.", "Juan and Ana meet on Fridays, and Ana is glad."),
        ("Sometimes I bring work home, and it helps me.", "Sometimes Ana brings work home, and it helps Ana."),
        ("We rent a flat and we like it.", "Ana and others rent a flat and they like it."),
    ],
)
def test_the_speaker_is_called_by_name(said, kept):
    assert EnglishTeller("Ana", "Tom").tell(said) == kept


def test_among_people_an_unknown_listener_is_no_assistant():
    (text,) = told("I'm allergic to your cat.", role=Role.OTHER, speaker="Ana")
    assert text == "Ana is allergic to the other person's cat."
