"""The memories are searched while one types, in a real Chromium; without a script by the button."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import HttpThread

from hindsight.client import RestClient

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
TOFU, BACKUPS = "The cat is called Tofu", "Backups of the order database run at 03:00"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[HttpThread]:
    with HttpThread(str(tmp_path_factory.mktemp("typing") / "memory"), min_relevance=0.001) as server:
        with RestClient(server.url, token="") as rest:
            for content in (TOFU, BACKUPS, "用户对花生过敏"):
                rest.store(content, kind="fact")
        yield server


@pytest.fixture
def page(browser, server) -> Iterator:
    with browser.new_context(base_url=server.url, locale="en-GB") as context:
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url) if "/memories" in request.url else None)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None)
        page.goto("/memories")
        yield page
        assert not faults


def found(page) -> list[str]:
    return page.locator("#found td a.clip").all_inner_texts()


def test_it_is_searched_while_one_types(page) -> None:
    assert len(found(page)) == 3
    box = page.get_by_role("searchbox")
    box.press_sequentially("backups", delay=20)
    page.locator("#found th", has_text="Relevance").wait_for()
    assert found(page) == [BACKUPS]
    assert len(page.asked) == 2  # the page itself, and one search for seven letters
    assert page.url.endswith("/memories?q=backups")
    assert page.evaluate("document.activeElement.name") == "q"
    assert page.evaluate("[localStorage.length, JSON.stringify(sessionStorage).includes('Backups of')]") == [0, False]
    box.fill("")
    page.get_by_role("link", name=TOFU).wait_for()
    page.get_by_label("Status").select_option("superseded")
    page.get_by_text("No memory fits").wait_for()
    box.fill("cat")
    page.get_by_label("Status").select_option("")
    page.get_by_role("link", name=TOFU).click()
    page.go_back()  # what was found is found again
    assert found(page) == [TOFU]


def test_a_slow_answer_is_given_up_for_a_newer_question(page) -> None:
    hanging: list = []
    page.route("**/memories?q=cat", lambda route: hanging.append(route))  # noqa: PLW0108 - a bound method of a list takes no attributes
    box = page.get_by_role("searchbox")
    with page.expect_request("**/memories?q=cat"):
        box.fill("cat")
    with page.expect_event("requestfailed", lambda request: request.url.endswith("q=cat")):
        box.fill("花生")
    page.locator("#found th", has_text="Relevance").wait_for()
    assert len(hanging) == 1
    assert found(page) == ["用户对花生过敏"]


def test_what_does_not_fit_is_said_and_nothing_is_lost(page) -> None:
    page.get_by_text("More filters").click()
    page.get_by_label("Since").fill("someday")
    page.get_by_role("alert").wait_for()
    assert "is not a time" in page.locator("#found").inner_text()
    page.get_by_label("Since").fill("2020")
    page.get_by_role("link", name=TOFU).wait_for()


def test_letters_that_are_being_composed_are_no_query(page) -> None:
    page.get_by_role("searchbox").focus()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "huasheng", "selectionStart": 8, "selectionEnd": 8})
    page.wait_for_timeout(600)
    assert len(page.asked) == 1
    session.send("Input.insertText", {"text": "花生"})
    page.locator("#found th", has_text="Relevance").wait_for()
    assert found(page) == ["用户对花生过敏"]


def test_an_expired_login_leads_to_the_login_page(page) -> None:
    page.route("**/memories?*", lambda route: route.fulfill(status=200, headers={"HX-Redirect": "/login?next=%2Fmemories"}))
    page.get_by_role("searchbox").fill("cat")
    page.wait_for_url("**/login?next=%2Fmemories")
    assert page.get_by_role("heading", name="Log in").is_visible()


def test_without_a_script_the_button_searches(browser, server) -> None:
    with browser.new_context(base_url=server.url, locale="en-GB", java_script_enabled=False) as context:
        page = context.new_page()
        page.goto("/memories")
        page.get_by_role("searchbox").fill("backups")
        page.get_by_role("button", name="Show").click()
        assert found(page) == [BACKUPS]
