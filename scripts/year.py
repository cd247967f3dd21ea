"""A simulated year of use, with upkeep and without: size of the store, recall of planted answers, latency and contradictions.

    python scripts/year.py run FOLDER [--days 365] [--tasks 200] [--upkeep on|off]
    python scripts/year.py plot ON.json OFF.json docs/images/year.svg

Time is injected: a day takes seconds. Keyword search only, so that 73,000 tasks fit on one core; ``--embedder auto`` takes the bundled model.
Each run prints one JSON object, which ``plot`` reads.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.memory import Hindsight
from hindsight.records import Principal
from hindsight.settings import Settings, load_settings

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
SERVICES = [
    "billing",
    "checkout",
    "search",
    "ledger",
    "gateway",
    "mailer",
    "auth",
    "catalog",
    "pricing",
    "reports",
    "支付",
    "库存",
    "订单",
    "推荐",
    "风控",
]
KINDS = ["deployment", "troubleshooting", "migration", "review", "reporting", "backup", "测试", "发布"]
TOOLS = ["git", "docker", "kubectl", "psql", "curl", "terraform", "pytest"]
SYLLABLES = "ka lo mi ve ru ton sel bar din fo gra hel ist jun kel mar nor pol quin ros".split()
THINGS = ["contract", "invoice", "pump", "badge", "meter", "locker", "licence", "shelf", "router", "mailbox"]
ZH_NAMES = "晨星海岳林泉瑞丰华宁远舟岚桥峰松禾润安康"
ZH_THINGS = ["合同", "发票", "水泵", "门禁卡", "电表", "储物柜", "许可证", "货架", "路由器", "信箱"]
TEAM = ["ana", "bo", "chen", "dita"]
DONE = [
    "Looked at the logs of {host} and at the versions of what it depends on.",
    "Compared the settings of both environments line by line and wrote down what differed.",
    "Waited {n} seconds for the health check to turn green before the next step.",
    "The dashboard showed {n} requests a second, which is what that hour usually has.",
    "Restarted {host} once, since the connection pool was full of idle connections.",
    "Checked out release {v} and read through its change notes.",
    "Asked the owner of the service whether the change window still holds; it does.",
    "The queue held {n} messages at the beginning and none at the end.",
    "Took a copy of the configuration of {host} to be able to go back.",
    "Ran the smoke tests, of which {n} passed and none was skipped.",
    "Memory stayed below {n} MiB during the whole run, so the limits were left alone.",
    "Moved traffic over in three steps and watched the error rate after each of them.",
    "Found an old cron entry on {host} that does the same, and left a comment there.",
    "The certificate still has {n} days, so that nothing had to be renewed.",
    "Dependencies were pinned to {v}, as the one before has a known problem with time zones.",
    "Read the last two incident reports about this part, and none of them applies here.",
    "Disk usage on {host} went from {n} to {m} percent and settled there.",
    "Told the people on call what would happen, and what to do if it goes wrong.",
    "Deleted the temporary files that the previous attempt had left behind.",
    "Two of the replicas lagged by {n} milliseconds; they had caught up a minute later.",
]
DONE_ZH = [
    "先检查 {host} 的日志和依赖版本。",
    "逐行比较两个环境的配置，记下不同之处。",
    "等了 {n} 秒，健康检查转为正常后再进行下一步。",
    "监控面板显示每秒 {n} 个请求，与这个时段的平常水平一致。",
    "连接池里全是空闲连接，于是把 {host} 重启了一次。",
    "切换到版本 {v}，通读了它的变更说明。",
    "向服务负责人确认变更窗口仍然有效。",
    "开始时队列里有 {n} 条消息，结束时为零。",
    "先备份了 {host} 的配置，以便随时回退。",
    "运行冒烟测试，{n} 项通过，没有跳过的。",
    "整个过程内存低于 {n} MiB，因此没有调整上限。",
    "分三步切换流量，每一步之后观察错误率。",
    "在 {host} 上发现一个做同样事情的旧定时任务，留了注释。",
    "证书还有 {n} 天到期，无需更换。",
    "依赖固定在 {v}，因为前一个版本有时区方面的已知问题。",
    "读了最近两份相关的事故报告，都与这次无关。",
    "{host} 的磁盘占用从 {n}% 变到 {m}%，之后保持平稳。",
    "通知了值班同事将要做什么，以及出错时怎么办。",
    "删除了上一次尝试留下的临时文件。",
    "两个副本延迟了 {n} 毫秒，一分钟后追上。",
]
COMMITS = 0.1
"""Share of the tasks like no other that name a commit."""
PEOPLE_ASK = 0.5
"""Share of the planted answers that people ask for within a month; the others are asked for at the measurements alone."""
UNIQUE = 0.3
"""Share of the tasks that are like no other."""
SLOTS = 60
MEASURED = 120
"""Planted answers that one measurement asks for, at most."""


@dataclass(slots=True)
class Planted:
    """An answer that stands in one task's record."""

    question: str
    answer: str
    day: int
    asked: bool


@dataclass(slots=True)
class Year:
    """The world outside: what happens on each day, the same for the same seed."""

    tasks: int
    chance: random.Random = field(default_factory=lambda: random.Random(2025))
    planted: list[Planted] = field(default_factory=list)
    number: int = 0

    def day(self, day: int) -> list[dict[str, Any]]:
        """The tasks of a day, as episodes."""
        return [self._task(day, place) for place in range(self.tasks)]

    def statements(self) -> list[tuple[str, str]]:
        """(who, statement) of people about values that change: repeated, and now and then another person's other value."""
        said = []
        for _ in range(max(1, self.tasks // 20)):
            slot = self.chance.randrange(SLOTS)
            value = 8000 + slot * 7 + (self.chance.randrange(1, 5) if self.chance.random() < 0.06 else 0)
            said.append((self.chance.choice(TEAM), f"The {SERVICES[slot % 10]} service number {slot} listens on port {value}."))
        return said

    def _task(self, day: int, place: int) -> dict[str, Any]:
        self.number += 1
        service, kind = self.chance.choice(SERVICES), self.chance.choice(KINDS)
        case = int(self.chance.paretovariate(1.1)) % 40
        outcome = self.chance.choices(["success", "failure", "fixed"], [7, 1, 2])[0]
        code = f"E{case % 7:02d}" if outcome != "success" else None
        unique = self.chance.random() < UNIQUE
        name = f"ticket T{self.number}" if unique else f"case {case}"
        planted, zh = "", self.chance.random() < 0.4
        # Answers come in all year, one for every hundred tasks.
        if (day * self.tasks + place) % 100 == 7:
            answer = f"valve{self.chance.randrange(10**9):09d}"
            if zh:
                who, what = "".join(self.chance.sample(ZH_NAMES, 3)) + "公司", self.chance.choice(ZH_THINGS)
                planted, question = f"{who}的{what}编号是 {answer}。", f"{who}的{what}编号是多少？"
            else:
                who = "".join(self.chance.sample(SYLLABLES, 3)).capitalize() + self.chance.choice(
                    [" Trading", " Foods", " Optics", " Rail"]
                )
                what = self.chance.choice(THINGS)
                planted, question = f"The {what} of {who} has the number {answer}.", f"What number does the {what} of {who} have?"
            self.planted.append(Planted(question, answer, day, self.chance.random() < PEOPLE_ASK))
        # A case comes back in the same words; a task like no other has its own.
        words = self.chance if unique else random.Random(f"{service} {kind} {case} {outcome} {zh}")
        sentences = _sentences(words, zh=zh, commit=unique and self.chance.random() < COMMITS)
        if planted:
            sentences.insert(self.chance.randrange(len(sentences) + 1), planted)
        if zh:
            first, met = f"对 {service} 执行{kind}（{name}）。", f"错误 {code}，" if code else ""
            text = first + "".join(sentences) + f"结果 {outcome}，{met}已记录到运行手册。"
        else:
            met = f"It met error {code}." if code else ""
            last = f"The result was {outcome}, and the runbook was brought up to date."
            text = " ".join(filter(None, (f"Worked on {kind} of {service} ({name}).", *sentences, met, last)))
        return {
            "content": text,
            "kind": "episode",
            "query": f"{kind} {service} {name}",
            "outcome": outcome,
            "task_type": kind,
            "tools": self.chance.sample(TOOLS, 2) if unique else [TOOLS[case % 7], TOOLS[(case + 2) % 7]],
            "error_code": code,
            "idempotency_key": f"task-{self.number}",
        }


def _sentences(chance: random.Random, *, zh: bool, commit: bool) -> list[str]:
    """What was done, in as many words as reports have: 200 to 3,000 characters, about 400 mostly; a third of that in Chinese."""
    wanted = min(3000.0, max(200.0, chance.lognormvariate(6.0, 0.6)))
    said: list[str] = []
    while sum(map(len, said)) * (3 if zh else 1) < wanted - 120:
        values = {"n": chance.randrange(1, 1000), "m": chance.randrange(1, 100), "host": f"node-{chance.randrange(1, 60)}"}
        said.append(chance.choice(DONE_ZH if zh else DONE).format(**values, v=f"{chance.randrange(1, 9)}.{chance.randrange(20)}"))
    if commit:
        named = f"{chance.getrandbits(40):010x}"
        said.append(f"改动在提交 {named} 里。" if zh else f"The change is in commit {named}.")
    return said


async def plant_lasting(memory: Hindsight) -> list[str]:
    """What must never be forgotten; its ids."""
    kept = [await memory.store(f"Never restart the {name} service during business hours.", kind="constraint") for name in SERVICES[:10]]
    kept += [await memory.store(f"部署 {name} 之前必须先备份数据库。", kind="rule") for name in SERVICES[10:]]
    kept += [
        await memory.store(
            f"Before a migration of {name}, take the write lock first.",
            kind="procedure",
            lesson={
                "condition": f"migration of {name}",
                "action": "migrate without the write lock",
                "reason": "rows were lost",
                "avoid": True,
            },
        )
        for name in SERVICES[:5]
    ]
    return [str(each.id) for each in kept]


async def simulate(folder: Path, *, days: int, tasks: int, upkeep: bool, embedder: str = "none", **settings: Any) -> dict[str, Any]:
    """One year; the figures of every month."""
    clock = FixedClock(BEGIN)
    loaded = load_settings(
        {}, store=str(folder), embedder=embedder, seal_key="a key of the simulation, which guards nothing", durability="normal", log_level="error",
        retrieval_timeout_ms=30_000, **settings,
    )  # fmt: skip
    year, months, begun = Year(tasks), list[dict[str, Any]](), time.perf_counter()
    every = max(1, days // 12)
    async with assemble(loaded, clock=clock) as memory:
        lasting = await plant_lasting(memory)
        team = {name: memory.acting_as(Principal(agent=name)) for name in TEAM}
        for day in range(days):
            clock.instant = BEGIN + timedelta(days=day, hours=12)
            await memory.store_many(year.day(day))
            for who, said in year.statements():
                await team[who].store(said, kind="fact", visibility="shared")
            await _people_ask(memory, year, day)
            if upkeep:
                clock.instant += timedelta(hours=15)
                await _night(memory, day)
            if (day + 1) % every == 0:
                months.append(await _look(memory, loaded, clock, year, day + 1, lasting))
                sys.stderr.write(f"day {day + 1}: {json.dumps(months[-1])}  [{time.perf_counter() - begun:.0f} s]\n")
        faults = await memory.check()
        seals = (await memory.verify()).state
    return {
        "days": days, "tasks": tasks, "upkeep": upkeep, "embedder": embedder, "seconds": round(time.perf_counter() - begun, 1), "months": months,
        "faults": faults, "seals": seals, "cold_bytes": _size(folder, "cold/**/*"),
    }  # fmt: skip


async def _people_ask(memory: Hindsight, year: Year, day: int) -> None:
    """Somebody asks for what was planted of late, on three days spread over the month; and about tasks of every kind."""
    for planted in year.planted:
        if planted.asked and day - planted.day in (3, 11, 24):
            await memory.retrieve(planted.question, k=5)
    chance = random.Random(day)
    for _ in range(max(3, year.tasks // 20)):
        await memory.retrieve(f"{chance.choice(KINDS)} {chance.choice(SERVICES)}")


async def _night(memory: Hindsight, day: int) -> None:
    """The server's schedule, and once a week a person who decides on conflicts."""
    for name in ("expire", "archive"):
        await memory.upkeep(name)
    if day % 7 == 6:
        for name in ("compact", "conflicts", "patterns", "forget", "history", "stats"):
            await memory.upkeep(name)
        for item in await memory.reviews(limit=500):
            current = await memory.get(item.memory.id)
            if item.why == "conflict" and current is not None and current.status == "active" and current.conflicts_with:
                newest = max((item.memory, *item.conflicts), key=lambda each: each.event_time)
                if newest.id == item.memory.id:
                    await memory.approve(newest.id, reason="the newest holds")
    if day % 91 == 90:
        await memory.upkeep("consolidate")


async def _look(memory: Hindsight, loaded: Settings, clock: FixedClock, year: Year, day: int, lasting: list[str]) -> dict[str, Any]:
    """Measure on a copy: what is asked there counts as no use here."""
    await memory.upkeep("stats")  # with upkeep or without: the log goes into the file
    folder = Path(loaded.store)
    with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
        await asyncio.to_thread(_copy, folder, Path(aside))
        async with assemble(loaded.model_copy(update={"store": aside, "cold_store": str(folder / "cold")}), clock=clock) as copy:
            return {"day": day, "bytes": _size(folder, "memory.db*")} | await _measure(copy, year, day, lasting)


async def _measure(memory: Hindsight, year: Year, day: int, lasting: list[str]) -> dict[str, Any]:
    chosen = random.Random(day).sample(year.planted, min(MEASURED, len(year.planted)))
    asked, took = {True: [0, 0], False: [0, 0]}, list[float]()
    for kind, service in zip(KINDS * 2, SERVICES, strict=False):  # what an open store keeps ready
        await memory.retrieve(f"{kind} {service}", k=5)
    for planted in chosen:
        begun = time.perf_counter()
        found = await memory.retrieve(planted.question, k=5)
        took.append((time.perf_counter() - begun) * 1000)
        asked[planted.asked][0] += any(planted.answer in hit.memory.content for hit in found.hits)
        asked[planted.asked][1] += 1
    stats = await memory.stats()
    standing = [each for id in lasting if (each := await memory.get(id)) is not None and each.status == "active"]
    took.sort()
    return {
        "statuses": stats.statuses,
        "recall@5": round((asked[True][0] + asked[False][0]) / max(1, len(chosen)), 4),
        "recall@5_asked": round(asked[True][0] / max(1, asked[True][1]), 4),
        "recall@5_never_asked": round(asked[False][0] / max(1, asked[False][1]), 4),
        "n": len(chosen),
        "p50_ms": round(took[len(took) // 2], 2) if took else 0.0,
        "p95_ms": round(took[int(len(took) * 0.95)], 2) if took else 0.0,
        "contradictions": await _contradictions(memory),
        "lasting": len(standing),
        "lasting_planted": len(lasting),
    }


def _copy(folder: Path, target: Path) -> None:
    for file in folder.glob("memory.db*"):
        shutil.copy(file, target)


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


async def _contradictions(memory: Hindsight) -> int:
    """Services with more than one port among the active statements."""
    ports: dict[str, set[str]] = {}
    async for each in memory.export():
        if each.kind == "fact" and each.status == "active" and "listens on port" in each.content:
            subject, _, port = each.content.rstrip(".").partition(" listens on port ")
            ports.setdefault(subject, set()).add(port)
    return sum(len(values) > 1 for values in ports.values())


def plot(on: dict[str, Any], off: dict[str, Any], target: Path) -> None:
    """Four panels."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "hindsight"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6), constrained_layout=True)
    panels = [
        ("bytes", "store on disk, MiB", 1 / 2**20),
        ("recall@5", "recall@5 of planted answers", 1.0),
        ("p95_ms", "retrieval p95, ms (keyword search)", 1.0),
        ("contradictions", "subjects with contradicting statements", 1.0),
    ]
    for axis, (name, title, scale) in zip(axes.flat, panels, strict=True):
        for run, label, style in ((on, "upkeep on", "-"), (off, "upkeep off", "--")):
            axis.plot(
                [month["day"] for month in run["months"]], [month[name] * scale for month in run["months"]], style, marker=".", label=label
            )
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("day")
        axis.set_ylim(bottom=0, top=1.05 if name == "recall@5" else None)
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    """Run or plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    running = commands.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--days", type=int, default=365)
    running.add_argument("--tasks", type=int, default=200)
    running.add_argument("--upkeep", choices=["on", "off"], default="on")
    running.add_argument("--embedder", default="none")
    plotting = commands.add_parser("plot")
    for name in ("on", "off", "target"):
        plotting.add_argument(name, type=Path)
    given = parser.parse_args()
    if given.command == "plot":
        plot(json.loads(given.on.read_text()), json.loads(given.off.read_text()), given.target)
        return
    found = asyncio.run(simulate(given.folder, days=given.days, tasks=given.tasks, upkeep=given.upkeep == "on", embedder=given.embedder))
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
