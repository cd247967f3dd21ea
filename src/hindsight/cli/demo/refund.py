"""``hindsight demo refund``: a simulated shop, and an agent that fails once.

The shop's tools have a hidden precondition: it pays nothing back for an order whose status was not looked up. The agent has a fixed
plan for each task and knows nothing but that and what memory recalls: a line that says "order: A → B" makes it call A before B, a
line that says to refuse refunds makes it refuse. Nothing here is decided by chance.

1. The first refund fails; the tool's error names the missing step, and a lesson is kept.
2. The second refund succeeds, since the lesson is recalled.
3. Reflection proposes a rule from the two, and a person approves it. An exchange, another kind of task with the same tool, follows it.

Before that a few frauds went through, and the agent concluded "always refuse refunds": that rule waits for a person, and is never
recalled. The same tasks are done with the memory off as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hindsight.records import Channel, Kind, Outcome, Principal, Status

if TYPE_CHECKING:
    from hindsight.memory import Hindsight

Language = Literal["zh", "en"]
AGENT = Principal(agent="shop-agent", channel=Channel.AGENT, scopes=frozenset({"read", "write"}))
PERSON = Principal(agent="shop-owner", channel=Channel.USER, scopes=frozenset({"read", "write", "review"}))
TOOLS = ("get_order", "check_order_status", "issue_refund", "reserve_item", "ship_item", "refuse")
_STEPS = re.compile(r"(?:order: |顺序：)((?:\w+ → )+\w+)")
_TASK = re.compile(r"[Ii]n an? (\w+) task|执行“(\w+)”类任务")
_REFUSE = re.compile(r"refuse (?:all |every )?refunds?|一律拒绝退款", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Task:
    """A customer's request: what the agent does about it by default."""

    name: str
    task_type: str
    order: int
    plan: tuple[str, ...]
    asks: dict[Language, str]


TASKS = (
    Task(
        "refund-1",
        "return",
        1001,
        ("get_order", "issue_refund"),
        {"en": "Refund order 1001: the customer returned the kettle", "zh": "给订单 1001 退款：顾客退回了水壶"},
    ),
    Task(
        "refund-2",
        "return",
        1002,
        ("get_order", "issue_refund"),
        {"en": "Refund order 1002: the customer returned the lamp", "zh": "给订单 1002 退款：顾客退回了台灯"},
    ),
    Task(
        "exchange-1",
        "exchange",
        1003,
        ("get_order", "reserve_item", "issue_refund", "ship_item"),
        {
            "en": "Exchange the jacket of order 1003 for a cheaper one and refund the difference",
            "zh": "把订单 1003 的外套换成便宜的一件，并退还差价",
        },
    ),
)
FRAUDS = {
    "en": "Refund order {order}: the box came back empty and the refund was a fraud",
    "zh": "给订单 {order} 退款：退回的是空箱，事后发现是欺诈",
}
OVER_GENERAL = {"en": "Always refuse refunds.", "zh": "一律拒绝退款。"}
_CALLS = {"en": " (tools: {tools})", "zh": "（工具：{tools}）"}


@dataclass(slots=True)
class Shop:
    """The shop's side of the tools, for one task."""

    language: Language
    looked_up: set[int] = field(default_factory=set)

    def call(self, tool: str, order: int) -> tuple[str, str]:
        """(result, error) of a call."""
        if tool == "check_order_status":
            self.looked_up.add(order)
            return {"en": "delivered and returned", "zh": "已签收并退回"}[self.language], ""
        if tool == "issue_refund" and order not in self.looked_up:
            told = {
                "en": f"ERR_STATUS_UNKNOWN: check_order_status is required first, the status of order {order} is not known",
                "zh": f"ERR_STATUS_UNKNOWN：请先调用 check_order_status，订单 {order} 的状态未知",
            }
            return "", told[self.language]
        return {"en": "ok", "zh": "成功"}[self.language], ""


def planned(plan: Sequence[str], recalled: str) -> list[str]:
    """The default plan with what the recalled block adds to it: the agent reads text, not records."""
    if _REFUSE.search(recalled):
        return ["refuse"]
    steps = list(plan)
    for found in _STEPS.findall(recalled):
        *before, tool = found.split(" → ")
        if tool in steps and all(each in TOOLS for each in before):
            place = steps.index(tool)
            steps[place:place] = [each for each in before if each not in steps[:place]]
    return steps


async def attempt(memory: Hindsight | None, task: Task, language: Language) -> Outcome:
    """Do one task, with a memory or without; what happened is told to the memory."""
    shop, calls, recalled = Shop(language), [], ""
    if memory is not None:
        question = task.asks[language] + _CALLS[language].format(tools=", ".join(task.plan))
        recalled = (await memory.retrieve(question, k=5, kind=["rule", "procedure"])).render()
        recalled = "\n".join(line for line in recalled.splitlines() if _meant(line, task))
    error = ""
    for tool in planned(task.plan, recalled):
        result, error = shop.call(tool, task.order)
        calls.append({"tool": tool, "arguments": {"order": task.order}, "result": result, "error": error})
        if error:
            break
    outcome = Outcome.SUCCESS if not error and any(call["tool"] == "issue_refund" for call in calls) else Outcome.FAILURE
    if memory is not None:
        ask = task.asks[language]
        await memory.task_finished(outcome, task=ask, task_type=task.task_type, calls=calls, error=error)
    return outcome


def _meant(line: str, task: Task) -> bool:
    """Whether a recalled line's condition is met: a lesson of another kind of task is not the agent's matter."""
    named = {first or second for first, second in _TASK.findall(line)}
    return not named or task.task_type in named


async def remember_frauds(memory: Hindsight, language: Language) -> None:
    """A few refunds that were frauds, and the conclusion that the agent drew from them: a rule of its own, which waits."""
    for order in (901, 902, 903):
        calls = [{"tool": tool, "arguments": {"order": order}} for tool in ("get_order", "check_order_status", "issue_refund")]
        ask = FRAUDS[language].format(order=order)
        await memory.task_finished(Outcome.FAILURE, task=ask, task_type="return", calls=calls, id=f"fraud-{order}")
    await memory.store(OVER_GENERAL[language], kind=Kind.RULE, tools=["issue_refund"])


async def play(folder: str | Path, settings: Mapping[str, Any], language: Language, *, approving: bool = True) -> dict[str, Any]:
    """Everything in order. ``approving``: whether the person approves the rule that was found."""
    from hindsight.memory import Hindsight

    done: list[dict[str, Any]] = []
    async with Hindsight.open(folder, **settings) as opened:
        agent, person = opened.acting_as(AGENT), opened.acting_as(PERSON)
        await remember_frauds(agent, language)
        done += [{"name": task.name, "memory": True, "outcome": str(await attempt(agent, task, language))} for task in TASKS[:2]]
        await agent.reflect(language=language)
        for item in await person.reviews():
            if approving and item.grounds and item.memory.kind is Kind.RULE:
                await person.approve(item.memory.id, reason={"en": "the tool says so itself", "zh": "工具自己就是这样说的"}[language])
        done.append({"name": TASKS[2].name, "memory": True, "outcome": str(await attempt(agent, TASKS[2], language))})
        done += [{"name": task.name, "memory": False, "outcome": str(await attempt(None, task, language))} for task in TASKS]
        page = await agent.list(kind="rule", status=[Status.ACTIVE, Status.PENDING])
        rules = [{"text": each.content, "status": str(each.status)} for each in reversed(page.items)]
    return {"tasks": done, "rules": rules}
