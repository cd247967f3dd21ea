"""The page of insights: its numbers, its charts with their tables, and what it says while there is nothing."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

import httpx

from hindsight.serve.console.charts import lying, stacked

SCRIPT = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


def filled(rest) -> str:
    """Something of everything; the id of a memory that no retrieval shows."""
    rest.store("Backups of the order database run at 03:00", kind="fact")
    rest.store("用户对花生过敏", kind="constraint")
    unseen = rest.store("The archive key lies in the blue safe", kind="fact").id
    for number in range(3):
        rest.task_finished(
            "failure" if number < 2 else "success", task=f"Refund order {number}", task_type="refund", tools=["refund.create"],
            error="E42: the parcel is on its way" if number < 2 else "", result="" if number < 2 else "refunded",
        )  # fmt: skip
    for query in ("when do the backups run", "花生", "when do the backups run"):
        rest.retrieve(query, k=1)
    rest.retrieve("the backups", kind="rule", task_type="nothing-of-this-type")
    for _ in range(40):
        if len(rest.retrievals()) == 4:
            break
        time.sleep(0.1)
    return str(unseen)


def test_the_numbers_stand_on_the_page_in_both_languages(web, rest) -> None:
    unseen = filled(rest)
    text = web.get("/insight").text
    today = datetime.now(UTC).astimezone()
    monday = today - timedelta(days=today.weekday())
    numbers = {name: number for number, name in re.findall(r"<div><b>([^<]+)</b>([^<]+)</div>", text)}
    assert (numbers["retrievals"], numbers["showed something"], numbers["showed nothing"]) == ("4", "75 %", "25 %")
    assert "fuse" in text or "routes" in text or "embed" in text  # stages
    assert re.search(rf"<th scope=\"row\">{monday:%m-%d}</th>", text)
    assert "E42: the parcel is on its way" in text
    most, never = (re.search(rf"<h2>{name}</h2>(.*?)</section>", text, re.DOTALL)[1] for name in ("Shown most", "Never shown"))
    assert "Backups of the order database" in most
    assert "Shown 2" in most
    assert unseen in never
    assert "Backups of the order database" not in never
    chinese = web.get("/insight?lang=zh").text
    for part in ("洞察", "每周新增记忆", "失败模式", "语义"):
        assert part in chinese


def test_every_chart_has_a_name_and_a_table(web, rest) -> None:
    filled(rest)
    text = web.get("/insight").text
    charts = re.findall(r'<svg class="chart".*?</svg>', text, re.DOTALL)
    assert len(charts) == 3
    for chart in charts:
        named = re.search(r'role="img" aria-labelledby="([^"]+)"', chart)[1]
        assert f'<title id="{named}">' in chart
        assert "<rect" in chart
    assert text.count("<summary>Numbers: ") == 3


def test_while_there_is_nothing_it_says_what_to_do(web) -> None:
    text = web.get("/insight").text
    assert "Nothing was recalled yet" in text
    assert "No task was reported yet" in text
    assert "<svg class" not in text


def test_markup_in_a_failure_is_text(web, rest) -> None:
    for number in range(2):
        rest.task_finished("failure", task=f"{SCRIPT} {number}", task_type=SCRIPT, tools=[SCRIPT], error=SCRIPT)
    text = web.get("/insight").text
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "<img" not in text


def test_bars_stand_on_each_other_inside_the_drawing() -> None:
    chart = stacked(["a", "b"], [("x", [3, 0]), ("y", [4, 0])])
    assert [(bar.series, bar.told) for bar in chart.bars] == [(0, "a: x 3"), (1, "a: y 4")]
    lower, upper = chart.bars
    assert abs(upper.y + upper.height - lower.y) < 0.02
    assert 0 < upper.y < lower.y < chart.height
    assert [line.text for line in chart.lines] == ["0", "2", "4", "6", "8"]
    assert stacked([], []).empty
    assert stacked(["a"], [("x", [0])]).empty


def test_lying_bars_are_as_long_as_their_numbers() -> None:
    chart = lying([("rank", 4.0), ("embed", 2.0), ("none", 0.0)], "ms")
    long, half, none = chart.bars
    assert half.width == round(long.width / 2, 2)
    assert none.width == 1
    assert all(bar.x + bar.width < chart.width for bar in chart.bars)


def test_the_audit_trail_tells_who_did_what_without_the_texts(web, rest) -> None:
    kept = rest.store("The cat is called Tofu", kind="fact", session_id="chat")
    rest.update(kept.id, content="The cat is called Miso", reason=f"renamed {SCRIPT}")
    for number in range(60):
        rest.store(f"note {number}", kind="episode")
    rest.forget(kept.id, mode="archive")
    first = web.get("/activity/audit").text
    assert first.index("archived") < first.index("created")
    older = web.get("/activity/audit?" + re.search(r'rel="next" href="/activity/audit\?([^"]+)"', first)[1].replace("&amp;", "&")).text
    assert "renamed &lt;script&gt;" in older
    assert "Tofu" not in first + older
    assert "<script>" not in older
    entries = [int(each) for each in re.findall(r'data-label="#">(\d+)<', first + older)]
    assert entries == sorted(entries, reverse=True)
    assert len(set(entries)) == 63
    assert 'rel="next"' not in older
    assert "Nothing happened here yet" in web.get("/activity/audit?namespace=nowhere").text
    assert web.get("/activity/audit?below=x").status_code == 422
    activity = web.get("/activity").text
    assert "Health" in activity
    assert "/activity/audit" in activity


def test_the_audit_trail_is_for_admins_alone(server, rest) -> None:
    secret = rest.create_token("reader", agent="default", scopes=["read", "write", "review"]).secret
    with httpx.Client(base_url=server.url, headers={"accept": "text/html", "authorization": f"Bearer {secret}"}) as web:
        assert web.get("/activity/audit").status_code == 403
        assert "/activity/audit" not in web.get("/activity").text
