"""Distilling with a chat model: a real HTTP server that speaks OpenAI's protocol stands for the model."""

from __future__ import annotations

import json
import os
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hindsight.adapters.chat.factory import make_chat
from hindsight.adapters.chat.openai_api import PATH, OpenAIChat
from hindsight.adapters.json_http import JsonEndpoint
from hindsight.errors import ConfigurationError, ModelError, ModelUnavailable
from hindsight.ports import ChatMessage
from hindsight.records import Kind, Outcome, Role, Source, Turn
from hindsight.remember.distil.batch import Distiller
from hindsight.remember.distil.model import PROMPT, ModelDistiller, answer_schema, prompt

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def say(content, *, position=0, **fields):
    return Turn(
        **{"session_id": "s", "position": position, "content": content, "role": Role.USER, "at": NOW, "id": f"t{position}", **fields}
    )


def found(content="The user is allergic to peanuts.", **fields):
    item = {"kind": "constraint", "content": content, "turns": [0], "confidence": 0.9, "source": "observed"}
    return {**item, "entities": [], "expires": None, "outcome": "unknown", "error_code": None, **fields}


def chat_of(server, *, timeout=5.0, attempts=2, key="secret"):
    return OpenAIChat(
        JsonEndpoint(server.url, PATH, key=key, settings="HINDSIGHT_CHAT", timeout=timeout, attempts=attempts, first_wait=0.01), "small"
    )


def answering(server, *answers):
    left = list(answers)
    server.answer = lambda body: (200, left.pop(0) if len(left) > 1 else left[0])


@pytest.fixture
async def distiller(chat_server):
    chat = chat_of(chat_server)
    yield ModelDistiller(chat, ZONE)
    await chat.close()


async def test_statements_become_drafts_with_their_turns(chat_server, distiller):
    answering(
        chat_server,
        json.dumps({"memories": [found(turns=[1]), found("The trip is in May.", kind="fact", turns=[0, 1], source="inferred")]}),
    )
    kept = await distiller.distil([say("We travel in May, a trip."), say("By the way I'm allergic to peanuts.", position=1, speaker="Ana")])
    first, second = kept.drafts
    assert (first.kind, first.content, first.speaker) == (Kind.CONSTRAINT, "The user is allergic to peanuts.", "Ana")
    assert [ref.first for ref in second.refs] == [0, 1]
    assert (second.source, second.turn_ids) == (Source.INFERRED, ("t0", "t1"))
    assert (first.debug.model, first.debug.prompt_version, first.debug.distiller) == ("openai/small", PROMPT, distiller.name)
    assert (kept.input_tokens, kept.output_tokens, kept.left_out) == (100, 20, ())


async def test_the_request_is_bound_to_the_schema_and_carries_who_and_when(chat_server, distiller):
    answering(chat_server, '{"memories": []}')
    await distiller.distil([say("我对花生过敏。", speaker="张敏")])
    (request,) = chat_server.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["Authorization"] == "Bearer secret"
    body = request["body"]
    assert body["response_format"]["json_schema"]["schema"] == answer_schema()
    assert body["max_tokens"] > 0
    assert body["messages"][0]["content"] == prompt("zh")
    turn = json.loads(body["messages"][1]["content"])
    assert (turn["speaker"], turn["date"], turn["text"]) == ("张敏", "2026-03-11 Wednesday 10:00", "我对花生过敏。")


async def test_an_endpoint_that_knows_no_schemas_is_asked_without_once(chat_server):
    def answer(body):
        kind = body.get("response_format", {}).get("type")
        return (400, "unsupported") if kind == "json_schema" else (200, '```json\n{"memories": []}\n```')

    chat_server.answer = answer
    chat = chat_of(chat_server)
    distiller = ModelDistiller(chat, ZONE)
    for _ in range(2):
        assert (await distiller.distil([say("hello there")])).drafts == ()
    await chat.close()
    assert [request["body"]["response_format"]["type"] for request in chat_server.requests] == ["json_schema", "json_object", "json_object"]


@pytest.mark.parametrize(
    "answer",
    [
        "I would remember that the user is allergic to peanuts.",
        "{}",
        '{"memories": [{"kind": "constraint"}]}',
        json.dumps({"memories": [found(kind="rule")]}),
        json.dumps({"memories": [found(confidence=7)]}),
        json.dumps({"memories": [found(confidence="0.9")]}),
        json.dumps({"memories": [found(extra="x")]}),
        json.dumps({"memories": [found()] * 40}),
        json.dumps({"memories": [found("")]}),
    ],
)
async def test_an_invalid_answer_keeps_nothing_and_is_reported(chat_server, distiller, answer):
    answering(chat_server, answer)
    with pytest.raises(ModelError, match="no valid extraction in 2 attempts"):
        await distiller.distil([say("I'm allergic to peanuts.")])
    assert len(chat_server.requests) == 2
    assert "Invalid" in chat_server.requests[1]["body"]["messages"][-1]["content"]


async def test_a_second_attempt_may_mend_the_first(chat_server, distiller):
    answering(chat_server, "no JSON", json.dumps({"memories": [found()]}))
    kept = await distiller.distil([say("I'm allergic to peanuts.")])
    assert len(kept.drafts) == 1
    assert kept.input_tokens == 200


async def test_an_answer_cut_off_at_the_limit_is_invalid(chat_server, distiller):
    cut = {"choices": [{"finish_reason": "length", "message": {"content": '{"memories": []}'}}]}
    chat_server.answer = lambda body: (200, cut)
    with pytest.raises(ModelError, match="cut off"):
        await distiller.distil([say("I'm allergic to peanuts.")])


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (found(turns=[4]), "turns that were not given"),
        (found(turns=[-1]), "turns that were not given"),
        (found("The user's locker is number 118."), "do not say 118"),
        (found("用户住在成都。"), "no word"),
        (found(expires="next week"), "is no date"),
    ],
)
async def test_what_the_turns_do_not_bear_is_left_out_and_said(chat_server, distiller, item, why):
    answering(chat_server, json.dumps({"memories": [item, found()]}))
    kept = await distiller.distil([say("I'm allergic to peanuts.")])
    assert [draft.content for draft in kept.drafts] == ["The user is allergic to peanuts."]
    assert why in kept.left_out[0]


async def test_dates_written_out_are_not_taken_for_inventions(chat_server, distiller):
    told = "The user moved to Berlin last month (February 2026)."
    answering(chat_server, json.dumps({"memories": [found(told, kind="fact", expires="2026-12-31", outcome="success")]}))
    (draft,) = (await distiller.distil([say("I moved to Berlin last month.")])).drafts
    assert draft.content == told
    assert draft.expires_at == datetime(2026, 12, 31, 23, 59, 59, tzinfo=ZONE)
    assert draft.outcome is Outcome.SUCCESS


async def test_many_turns_go_in_several_requests_and_a_huge_one_is_cut(chat_server):
    answering(chat_server, '{"memories": []}')
    chat = chat_of(chat_server)
    await ModelDistiller(chat, ZONE, input_tokens=200).distil(
        [say("word " * 100, position=n) for n in range(4)] + [say("我" * 5000, position=9)]
    )
    await chat.close()
    sizes = [len(request["body"]["messages"][1]["content"]) for request in chat_server.requests]
    assert len(sizes) >= 4
    assert max(sizes) < 2_000


async def test_recalled_blocks_never_reach_the_model(chat_server, distiller):
    answering(chat_server, '{"memories": []}')
    await distiller.distil([say("<memory_context>\n1. secret\n</memory_context>\nThanks!"), say("<memory_context>all of it", position=1)])
    (request,) = chat_server.requests
    assert "secret" not in request["body"]["messages"][1]["content"]


async def test_no_turns_cost_no_request(chat_server, distiller):
    assert (await distiller.distil([])).drafts == ()
    assert (await distiller.distil([say("   ")])).drafts == ()
    assert chat_server.requests == []


@pytest.mark.parametrize(("status", "error"), [(401, ConfigurationError), (404, ConfigurationError), (503, ModelUnavailable)])
async def test_an_endpoint_that_refuses_is_told_as_it_is(chat_server, distiller, status, error):
    chat_server.answer = lambda body: (status, "no")
    with pytest.raises(error):
        await distiller.distil([say("I'm allergic to peanuts.")])


@pytest.mark.parametrize("answer", [{"choices": []}, {"choices": [{"message": {"content": None}}]}, {"error": "x"}, [1]])
async def test_an_answer_that_is_no_completion_is_an_error(chat_server, answer):
    chat_server.answer = lambda body: (200, answer)
    chat = chat_of(chat_server)
    with pytest.raises(ModelError):
        await chat.complete([ChatMessage("user", "hello \ud800\0")], max_tokens=10)
    await chat.close()


async def test_rules_work_where_no_model_is_and_echoes_are_dropped(chat_server, distiller):
    by_rules = Distiller(ZONE)
    harvest = await by_rules.distil(
        [say("I'm allergic to peanuts."), say("I live in Porto.", position=1)], recalled=["The user is allergic to peanuts."]
    )
    assert [draft.content for draft in harvest.drafts] == ["The user lives in Porto."]
    assert "repeats what was recalled" in harvest.left_out[0]
    answering(chat_server, json.dumps({"memories": [found()]}))
    by_model = Distiller(ZONE, distiller)
    assert (await by_model.distil([say("I'm allergic to peanuts.")], recalled=["the user is allergic to peanuts"])).drafts == ()
    assert (by_rules.name, by_model.name) == ("rules-2", "model-distil-1")


async def test_a_chat_model_is_made_where_one_is_named(chat_server):
    chat_server.answer = lambda body: (200, "hi")
    assert make_chat(model="", url="") is None
    with pytest.raises(ConfigurationError, match="HINDSIGHT_CHAT_URL"):
        make_chat(model="small", url="")
    with pytest.raises(ConfigurationError, match="HINDSIGHT_CHAT_URL"):
        make_chat(model="small", url="ftp://x")
    chat = make_chat(model="small", url=chat_server.url, key="k")
    assert (await chat.complete([ChatMessage("user", "hello")], max_tokens=5)).text == "hi"
    await chat.close()


def test_the_prompts_of_a_version_exist_in_both_languages():
    assert "JSON" in prompt("en")
    assert "JSON" in prompt("zh")
    assert answer_schema()["additionalProperties"] is False


@pytest.mark.skipif("CHAT_TEST_URL" not in os.environ, reason="set CHAT_TEST_URL and CHAT_TEST_MODEL to try a real model")
async def test_a_real_model_extracts_something_valid():
    endpoint = JsonEndpoint(os.environ["CHAT_TEST_URL"], PATH, settings="CHAT_TEST", timeout=300, attempts=1)
    chat = OpenAIChat(endpoint, os.environ.get("CHAT_TEST_MODEL", "model"))
    kept = await ModelDistiller(chat, ZONE, output_tokens=600).distil(
        [say("I'm allergic to peanuts, so please no satay."), say("What time is it?", position=1)]
    )
    await chat.close()
    assert any("peanut" in draft.content.lower() for draft in kept.drafts)
