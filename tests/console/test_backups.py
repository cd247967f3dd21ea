"""Backups from the console: made while the page tells, listed with what they hold, for admins alone."""

from __future__ import annotations

import re
import time

import httpx
from serving import HttpThread

from hindsight.upkeep.backup_calls import BackupCalls

PATH = "/activity/backups"
HTML = {"accept": "text/html", "accept-language": "en"}


def form_of(web) -> str:
    return re.search(r'name="form" value="([^"]+)"', web.get("/review").text)[1]


def until(web, sought: str) -> str:
    for _ in range(200):
        page = web.get(PATH).text
        if sought in page:
            return page
        time.sleep(0.05)
    raise AssertionError(page)


def test_a_backup_is_made_and_listed_with_what_it_holds(web, rest) -> None:
    rest.store("用户对花生过敏", kind="constraint")
    assert "There is no backup yet" in web.get(PATH).text
    assert web.post(PATH, data={"form": "wrong"}).status_code == 403
    assert web.post(PATH, data={"form": form_of(web)}).headers["location"] == PATH
    page = until(web, "Backed up:")
    made = rest.backups()[0]
    assert made.id in page
    assert f"hindsight restore {made.address}" in page
    assert all(f"{name} {number}" in page for name, number in made.counts.items() if number)
    assert PATH in web.get("/activity").text


def test_long_work_shows_that_it_goes_on_and_is_not_begun_twice(browser, server, web, monkeypatch) -> None:
    import asyncio

    going, begun = {"on": True}, []

    async def slow(self, to=None):
        begun.append(1)
        while going["on"]:
            await asyncio.sleep(0.02)
        return await self.keeper.make(to)

    monkeypatch.setattr(BackupCalls, "backup", slow)
    with browser.new_context(base_url=server.url, locale="en-GB") as context:
        page = context.new_page()
        page.goto(PATH)
        page.get_by_role("button", name="Back up now").click()
        page.get_by_text("A backup is being made").wait_for()
        assert page.get_by_role("progressbar").count() == 1
        assert page.get_by_role("button", name="Back up now").is_disabled()
        assert '<noscript><meta http-equiv="refresh"' in web.get(PATH).text
        web.post(PATH, data={"form": form_of(web)})
        page.get_by_text("1 s so far").wait_for()  # the page tells by itself
        going["on"] = False
        page.get_by_text("Backed up:").wait_for()
    assert len(begun) == 1


def test_what_goes_wrong_is_told(tmp_path) -> None:
    (tmp_path / "file").write_text("no folder")
    place = str(tmp_path / "file" / "backups")
    with HttpThread(str(tmp_path / "memory"), backup_to=place) as server, httpx.Client(base_url=server.url, headers=HTML) as web:
        web.post(PATH, data={"form": form_of(web)})
        assert str(tmp_path / "file") in until(web, 'role="alert"')


def test_it_is_for_admins_alone(server, rest) -> None:
    secret = rest.create_token("reader", agent="default", scopes=["read", "write", "review"]).secret
    with httpx.Client(base_url=server.url, headers=HTML | {"authorization": f"Bearer {secret}"}) as web:
        assert web.get(PATH).status_code == 403
        assert web.post(PATH, data={"form": form_of(web)}).status_code == 403
        assert PATH not in web.get("/activity").text
