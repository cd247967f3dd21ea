"""A bilingual load for benchmarks: memories as an agent in an office of engineers would keep them, and questions about them.

Texts are composed of clauses over people, services, tools, errors and a long tail of names and numbers drawn by Zipf's law,
half English and half Chinese, 10 to 60 tokens each. The same seed gives the same load. No text is taken from any data set.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

NAMESPACES = tuple(f"team-{number}" for number in range(10))
FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
TENTH, TWO_HUNDREDTH = "audit", "incident-review"
"""Tags that one memory in 10 and one in 200 carries: filters of 10 % and 0.5 %."""

_PEOPLE = "Alice Bruno Chen Daria Elif Farid Grace Hiro Ivan Julia 王敏 李强 张伟 刘洋 陈静 赵磊 周婷 吴昊 徐丽 孙涛".split()
_SERVICES = "billing-api auth-gateway search-indexer mail-worker report-builder image-resizer cart-service ledger-sync geo-cache quota-proxy".split()
_TOOLS = "docker kubectl terraform psql redis-cli nginx pytest git curl grafana ansible helm".split()
_ERRORS = (
    "ETIMEDOUT ECONNREFUSED E1101 ORA-00942 HTTP-502 OOMKilled ENOSPC SIGSEGV CERT_EXPIRED DeadlockDetected ImagePullBackOff EACCES".split()
)
_TASKS = "troubleshooting deployment data-analysis code-review customer-support planning".split()
_OUTCOMES = "success success success failure fixed corrected unknown".split()
_KINDS = "episode episode episode episode fact fact preference procedure".split()
_SYLLABLES = "ka lo mi ren tas vo qui dra sel bur no pho".split()
_HAN = "云河山海星风雷电花木石金水火土光影桥路城南北东西高新远明清和平安"

_EN = (
    "{person} found that {service} failed with {error} after the move to {name}",
    "restarting {service} did not help; clearing the {name} cache with {tool} did",
    "the {name} customer prefers weekly summaries by mail, not calls",
    "never run {tool} against the {name} cluster during business hours",
    "{service} needs at least {number} MB, otherwise it ends with {error}",
    "{person} asked for the {name} report to be split by region and sorted by revenue",
    "the certificate of {service} is renewed with {tool}, step {number} of the {name} runbook",
    "latency of {service} rose to {number} ms when {name} was rolled out",
    "{person} moved the meeting about {name} to room {number}",
    "for {error} in {service}, check the connection pool first and the {name} proxy second",
)
_ZH = (
    "{person}发现{service}迁移到{name}之后报错{error}",
    "重启{service}没有用，用{tool}清理{name}缓存之后恢复正常",
    "{name}的客户希望每周收到邮件总结，不要打电话",
    "工作时间不要在{name}集群上执行{tool}",
    "{service}至少需要{number}MB内存，否则会出现{error}",
    "{person}要求把{name}报表按地区拆分，并按营收排序",
    "{service}的证书用{tool}续期，见{name}手册第{number}步",
    "{name}上线后，{service}的延迟升到了{number}毫秒",
    "{person}把{name}的评审会改到了{number}会议室",
    "遇到{service}报{error}，先查连接池，再查{name}代理",
)
_ASK_EN = (
    "what helped when {service} failed with {error}?",
    "what does the {name} customer want?",
    "how much memory does {service} need",
    "what did {person} say about {name}",
    "may I use {tool} on {name} now?",
)
_ASK_ZH = (
    "{service}报{error}怎么解决？",
    "{name}的客户有什么要求？",
    "{service}需要多少内存",
    "{person}对{name}说过什么",
    "现在可以在{name}上用{tool}吗？",
)


SHARES = (500, 200, 100, 80, 50, 30, 20, 10, 5, 2, 1, 1, 1)
"""Of a thousand memories, how many each namespace of a skewed load holds."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the namespace that it is put to."""

    text: str
    namespace: str


class Workload:
    """Draws memories and questions; ``seed`` fixes both."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._weights = list(accumulate(1 / place for place in range(1, len(NAMESPACES) + 1)))
        self._names = [self._name(place) for place in range(4000)]
        self._name_weights = list(accumulate(1 / (place + 3) for place in range(len(self._names))))

    def memories(self, count: int) -> Iterator[dict[str, Any]]:
        """Fields of ``count`` drafts, spread over ten namespaces (the first holds a third) and two years."""
        draw = self._random
        for number in range(count):
            clauses = draw.choice((_EN, _ZH))
            joined = "。" if clauses is _ZH else ". "
            tags = self._tags()
            content = joined.join(self._fill(clause) for clause in draw.sample(clauses, draw.choice((1, 1, 2, 3))))
            kind = draw.choice(_KINDS)
            namespace = draw.choices(NAMESPACES, cum_weights=self._weights)[0]
            yield {"content": content, "kind": kind, "namespace": namespace, **self._circumstances(number), "tags": tags}

    def clauses(self, count: int) -> list[str]:
        """``count`` different clauses, the first half English and the rest Chinese: a load too large to be embedded is composed of them."""
        found: dict[str, None] = {}
        for kinds, enough in ((_EN, count // 2), (_ZH, count)):
            while len(found) < enough:
                found.setdefault(self._fill(self._random.choice(kinds)))
        return list(found)

    def composed(self, sizes: Sequence[int], clauses: Sequence[str]) -> Iterator[tuple[dict[str, Any], list[int]]]:
        """Memories made of 2 to 4 of ``clauses`` (by place): fields, and which. ``sizes`` are those of the namespaces (:func:`named`), in turn at random."""
        draw, half = self._random, len(clauses) // 2
        order = bytearray(b"".join(bytes([place]) * size for place, size in enumerate(sizes)))
        draw.shuffle(order)
        names, held = named(sizes), [0] * len(sizes)
        for number, place in enumerate(order):
            chinese = draw.random() < 0.5
            first = half if chinese else 0
            chosen = [first + draw.randrange(half) for _ in range(draw.choice((2, 2, 3, 4)))]
            content = ("。" if chinese else ". ").join([clauses[each] for each in chosen])
            fields = {"content": content, "kind": draw.choice(_KINDS), "namespace": names[place]}
            session = {"session_id": f"{names[place]}-{held[place] // 20}"}
            held[place] += 1
            yield {**fields, **self._circumstances(number), **session, "tags": self._tags()}, chosen

    def questions(self, count: int, *, namespace: str | None = None) -> list[Question]:
        """``count`` questions, all different, to one namespace or to all by their size."""
        asked: dict[str, Question] = {}
        while len(asked) < count:
            text = self._fill(self._random.choice(self._random.choice((_ASK_EN, _ASK_ZH))))
            asked.setdefault(text, Question(text, namespace or self._random.choices(NAMESPACES, cum_weights=self._weights)[0]))
        return list(asked.values())

    def _tags(self) -> list[str]:
        return [tag for tag, share in ((TENTH, 0.1), (TWO_HUNDREDTH, 0.005)) if self._random.random() < share]

    def _circumstances(self, number: int) -> dict[str, Any]:
        draw = self._random
        return {
            "task_type": draw.choice(_TASKS),
            "outcome": draw.choice(_OUTCOMES),
            "tools": [draw.choice(_TOOLS)],
            "session_id": f"session-{number // 20}",
            "occurred_at": FIRST_DAY + timedelta(minutes=draw.randrange(2 * 365 * 24 * 60)),
            "idempotency_key": f"load-{number}",
        }

    def _fill(self, clause: str) -> str:
        draw = self._random
        return clause.format(
            person=draw.choice(_PEOPLE),
            service=draw.choice(_SERVICES),
            tool=draw.choice(_TOOLS),
            error=draw.choice(_ERRORS),
            name=draw.choices(self._names, cum_weights=self._name_weights)[0],
            number=draw.randrange(2, 4096),
        )

    def _name(self, place: int) -> str:
        if place % 2:
            return "".join(self._random.sample(_HAN, 3))
        return "".join(self._random.sample(_SYLLABLES, 3)).capitalize()


def skewed(count: int) -> list[int]:
    """Sizes of namespaces that hold ``count`` memories together, by :data:`SHARES`; none is empty."""
    rest = [max(1, count * share // 1000) for share in SHARES[1:]]
    return [count - sum(rest), *rest]


def named(sizes: Sequence[int]) -> list[str]:
    """Names of namespaces by their sizes, each its own: ``pool-500000``, ``pool-1000``, ``pool-1000-2``."""
    names: list[str] = []
    for place, size in enumerate(sizes):
        same = sizes[:place].count(size)
        names.append(f"pool-{size}" if not same else f"pool-{size}-{same + 1}")
    return names
