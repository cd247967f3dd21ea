"""Two hundred simulated tasks in which ten causes of failure are planted, with noise: the same in Chinese and English."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hindsight.records import Outcome
from hindsight.remember.task import TaskReport, ToolCall

EPISODES = 200
NOISE = 0.06
"""Share of the tasks whose outcome is not what the causes make it."""
VIOLATED = 0.4
"""How often each cause is met where it can be."""
STRAY = ("search_notes", "think", "get_time", "read_calendar", "translate")
"""Tools that are called here and there and have nothing to do with the outcome."""


@dataclass(frozen=True)
class Job:
    task_type: str
    steps: tuple[str, ...]
    asks: dict[str, tuple[str, ...]]


JOBS = (
    Job("refund", ("get_order", "check_status", "issue_refund"), {"zh": ("给订单 {n} 退款", "客户要退订单 {n}"), "en": ("Refund order {n}", "The customer returns order {n}")}),
    Job("deployment", ("build_image", "run_tests", "deploy_service"), {"zh": ("部署服务版本 {n}", "上线第 {n} 版"), "en": ("Deploy release {n}", "Ship version {n}")}),
    Job("migration", ("stop_writes", "backup_database", "migrate_schema", "verify_checksum"), {"zh": ("迁移数据库 {n}",), "en": ("Migrate database {n}",)}),
    Job("booking", ("get_user", "search_flights", "book_flight", "send_confirmation"), {"zh": ("预订 {n} 号航班",), "en": ("Book flight {n}",)}),
    Job("editing", ("open_file", "acquire_lock", "write_file"), {"zh": ("修改文件 {n}",), "en": ("Edit file {n}",)}),
    Job("report", ("query_sales", "render_table", "export_report"), {"zh": ("导出第 {n} 期销售报表",), "en": ("Export sales report {n}",)}),
    Job("research", ("web_search", "read_page", "summarise"), {"zh": ("调研课题 {n}",), "en": ("Research topic {n}",)}),
)  # fmt: skip
# (feature, tool, other): what a finding must name.
PLANTED = {
    ("not_before", "issue_refund", "check_status"): "E_STATUS",
    ("not_before", "deploy_service", "run_tests"): "E_UNTESTED",
    ("uses", "force_push", None): "E_PUSH",
    ("not_before", "migrate_schema", "backup_database"): "E_BACKUP",
    ("lacks", "verify_checksum", None): "E_CHECKSUM",
    ("not_before", "book_flight", "get_user"): "E_USER",
    ("lacks", "send_confirmation", None): "E_CONFIRM",
    ("not_before", "write_file", "acquire_lock"): "E_LOCK",
    ("uses", "legacy_export", None): "E_LEGACY",
    ("repeats", "web_search", None): "E_LOOP",
}


def reports(language: str, seed: int) -> list[TaskReport]:
    """Tasks with their calls, in ``language`` (zh, en)."""
    chance = random.Random(seed)
    made = []
    for number in range(EPISODES):
        job = chance.choice(JOBS)
        tools, code, culprit = _calls(job, chance)
        if chance.random() < NOISE:
            code, culprit = (None, None) if code else ("E_RANDOM", None)
        ask = chance.choice(job.asks[language]).format(n=1000 + number)
        calls = [ToolCall(tool=tool, arguments={"id": 1000 + number}, result="好" if language == "zh" else "ok") for tool in tools]
        failed = {"zh": f"{code}：操作被拒绝", "en": f"{code}: the operation was refused"}[language] if code else ""
        if culprit in tools:
            place = len(tools) - 1 - tools[::-1].index(culprit)
            calls[place] = calls[place].model_copy(update={"error": failed, "result": ""})
        made.append(
            TaskReport(
                task=ask,
                task_type=job.task_type,
                calls=tuple(calls),
                error=failed,
                outcome=Outcome.SUCCESS if code is None else Outcome.FAILURE,
                task_id=f"{language}-{seed}-{number}",
            )
        )
    return made


def _calls(job: Job, chance: random.Random) -> tuple[list[str], str | None, str | None]:
    """The calls of one task, the error of the first cause that they meet, and the tool that fails with it."""
    tools = list(job.steps)
    met: list[tuple[str, str, str | None]] = []

    def violates(*cause: str | None) -> bool:
        if chance.random() < VIOLATED:
            met.append(cause)  # type: ignore[arg-type]
            return True
        return False

    if job.task_type == "refund" and violates("not_before", "issue_refund", "check_status"):
        tools.remove("check_status")
    if job.task_type == "deployment":
        if violates("not_before", "deploy_service", "run_tests"):
            tools.remove("run_tests")
        if violates("uses", "force_push", None):
            tools.insert(0, "force_push")
    if job.task_type == "migration":
        if violates("not_before", "migrate_schema", "backup_database"):
            tools.remove("backup_database")
        if violates("lacks", "verify_checksum", None):
            tools.remove("verify_checksum")
    if job.task_type == "booking":
        if violates("not_before", "book_flight", "get_user"):
            tools.remove("get_user")
        if violates("lacks", "send_confirmation", None):
            tools.remove("send_confirmation")
    if job.task_type == "editing" and violates("not_before", "write_file", "acquire_lock"):
        tools = ["open_file", "write_file", "acquire_lock"]
    if job.task_type == "report" and violates("uses", "legacy_export", None):
        tools[-1] = "legacy_export"
    if job.task_type == "research" and violates("repeats", "web_search", None):
        tools = ["web_search"] * chance.randint(3, 5) + tools[1:]
    for stray in STRAY:
        if chance.random() < 0.2:
            tools.insert(chance.randint(0, len(tools) - 1), stray)
    return (tools, PLANTED[met[0]], met[0][1]) if met else (tools, None, None)


def calls(*steps: str | tuple[str, str]) -> list[ToolCall]:
    """Tool calls by name; a pair is a call and what it failed with."""
    return [ToolCall(tool=step) if isinstance(step, str) else ToolCall(tool=step[0], error=step[1]) for step in steps]
