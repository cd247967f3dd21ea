"""A number that names a thing tells two things apart; a number that is a value replaces the one before it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from hindsight.remember.reconcile.relate import relate_statements
from hindsight.remember.reconcile.relation import MERGING, SUPERSEDING

DATA = Path(__file__).parent / "data"
NUMBERED = {
    "en": (
        "Ticket {},Server {},Room {},Order {},Python 3.{},HTTP 4{},Port {},Gate {},Step {},Bug {},Our node {},Bo's ticket {},The room {},"
        "Device d-{},Issue #{},Build no. {}"
    ),
    "zh": (
        "工单{},服务器{},房间{},订单{},Python 3.{},HTTP 4{},端口{},登机口{},步骤{},缺陷{},我们的节点{},小李的工单{},第{}章,{}号楼,{}教室,"
        "设备 d-{},{}号线,第{}个里程碑,会议室{}"
    ),
}
SAID_OF = {
    "en": (
        "{} is open.;{} is assigned to Bo.;{} is in Berlin.;{} has a camera.;{} needs a review.;{} was closed on Monday.;{} blocks the release.;"
        "{} costs 20 euros.;{} takes 5 minutes.;{} is now in Berlin.;{} is no longer in use.;{} is not ready.;{} opens at 9:00.;Bo likes {}.;"
        "I use {}.;Ann fixed {}.;We discussed {} yesterday.;Do not touch {}.;Bo works on {}.;The fix for {} is ready.;The owner of {} is Bo."
    ),
    "zh": (
        "{}是开放的。;{}归小王负责。;{}在北京。;{}有摄像头。;{}需要评审。;{}周一关闭了。;{}阻塞了发布。;{}要20元。;{}需要五分钟。;{}现在在北京。;"
        "{}不再使用。;{}还没准备好。;{}九点开放。;小李喜欢{}。;我在用{}。;小张修好了{}。;昨天讨论了{}。;不要动{}。;小李在做{}。;{}的修复好了。;{}的负责人是小李。"
    ),
}


def pairs(language, label):
    rows = [json.loads(line) for line in (DATA / f"numbered_{language}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(row["old"], row["new"]) for row in rows if row["label"] == label]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_set_is_large_and_has_no_pair_twice(language):
    apart, replaced = pairs(language, "apart"), pairs(language, "replaced")
    assert len(apart) >= 60
    assert len(replaced) >= 30
    assert max(Counter(apart + replaced).values()) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_number_that_names_or_an_event_retires_nothing(language):
    wrong = [
        (old, new)
        for old, new in pairs(language, "apart")
        if {relate_statements(old, new), relate_statements(new, old)} & (SUPERSEDING | MERGING)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_number_that_is_the_value_replaces_the_one_before(language):
    missed = [(old, new) for old, new in pairs(language, "replaced") if relate_statements(old, new) not in SUPERSEDING]
    assert missed == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_whatever_is_said_of_numbered_things_they_stay_apart(language):
    wrong = []
    for name in NUMBERED[language].split(","):
        for said in SAID_OF[language].split(";"):
            for first, second in ((1, 2), (11, 12), (104, 110)):
                old, new = (said.format(name.format(number)) for number in (first, second))
                if relate_statements(old, new) in SUPERSEDING | MERGING:
                    wrong.append((old, new))
    assert wrong == []
