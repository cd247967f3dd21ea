"""Question answering over a memory: a language model answers from what recall returns, a second one judges the answer.

Nothing here needs a particular model: any OpenAI-compatible endpoint answers and judges. The prompts are constants of this module, so
that a figure can be read together with what was asked.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hindsight.errors import InvalidInput, ModelError
from hindsight.evals.beir import Query, read_beir
from hindsight.evals.metrics import interval, percentile
from hindsight.evals.retrieval import Progress, embedder_options, fill, place_of
from hindsight.memory import Hindsight
from hindsight.ports import ChatMessage, ChatModel
from hindsight.settings import load_settings

ANSWER_PROMPT = """You answer a question about past conversations from the memories given, and from nothing else.
Work out dates from the date of a memory ("yesterday" in a memory of 2023-05-08 is 7 May 2023). Answer in a few words, in the language of the question.
If the memories do not tell, answer exactly: I don't know."""
JUDGE_PROMPT = """You judge whether an answer to a question is right, given the reference answer.
It is right if it says the same in substance: other words, more detail, another format of the same date, or part of a list that the question does not ask for in
full are right; another person, date, number or thing, or "I don't know", is wrong. Reply with JSON: {"correct": true} or {"correct": false}."""
_VERDICT = {"type": "object", "properties": {"correct": {"type": "boolean"}}, "required": ["correct"], "additionalProperties": False}
ANSWER_TOKENS, JUDGE_TOKENS = 200, 60


@dataclass(frozen=True, slots=True)
class Answered:
    """One question: what was answered and judged, tokens of prompt and answer, and milliseconds. ``correct`` is None where the judge gave no verdict."""

    id: str
    category: str
    expected: str
    answer: str
    correct: bool | None
    recalled: int
    input_tokens: int
    output_tokens: int
    retrieve_ms: float
    answer_ms: float


async def evaluate_answers(
    folder: str | Path,
    *,
    answerer: ChatModel,
    judge: ChatModel,
    results: Path,
    k: int = 10,
    questions: int | None = None,
    scopes: int | None = None,
    store: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Store a folder's documents, answer its questions, judge the answers; the report as JSON-able values.

    ``results`` keeps one line a question as it is judged: a run that was broken off goes on where it stopped.

    Raises:
        InvalidInput: no question has a ``metadata.answer``, or ``results`` belongs to another run.
        ModelError: a model cannot be asked; what was judged before is kept.
    """
    data = read_beir(folder, scopes=scopes)
    asked = [query for query in data.queries if query.answer][:questions]
    if not asked:
        raise InvalidInput(f"{folder}: no question has an answer to judge by (metadata.answer in queries.jsonl).")
    head = {"set": data.name, "corpus": data.digest(), "answerer": answerer.model_id, "judge": judge.model_id, "k": k}
    done = _begun(results, head)
    options = {"seal_key": "off", **embedder_options(None), **settings}
    with place_of(data, load_settings(**options), store) as place, results.open("a", encoding="utf-8") as kept:
        async with Hindsight.open(place, **options) as memory:
            await fill(memory, data, progress)
            for number, query in enumerate(asked, 1):
                if query.id not in done:
                    done[query.id] = await _answer(memory, query, answerer, judge, k)
                    kept.write(json.dumps(asdict(done[query.id]), ensure_ascii=False) + "\n")
                    kept.flush()
                if progress is not None:
                    progress("answer", number, len(asked))
    return summary(head, [done[query.id] for query in asked])


def summary(head: Mapping[str, Any], answered: Sequence[Answered]) -> dict[str, Any]:
    """Accuracy with its 95 % interval, overall and by category; tokens a question, and latencies."""
    judged = [each for each in answered if each.correct is not None]
    right = [float(bool(each.correct)) for each in judged]
    counts = Counter(each.category for each in judged)
    correct = Counter(each.category for each in judged if each.correct)
    return {
        **head,
        "n": len(answered),
        "judged": len(judged),
        "accuracy": round(sum(right) / len(right), 4) if right else None,
        "interval": [round(end, 4) for end in interval(right)] if right else None,
        "by_category": {name: {"n": counts[name], "accuracy": round(correct[name] / counts[name], 4)} for name in sorted(counts)},
        "unknown": sum("don't know" in each.answer.lower() for each in answered),
        "input_tokens": round(sum(each.input_tokens for each in answered) / len(answered), 1),
        "output_tokens": round(sum(each.output_tokens for each in answered) / len(answered), 1),
        **{
            f"{name}_{label}": round(percentile([getattr(each, name) for each in answered], share), 1)
            for name in ("retrieve_ms", "answer_ms")
            for label, share in (("p50", 0.5), ("p95", 0.95))
        },
    }


async def _answer(memory: Hindsight, query: Query, answerer: ChatModel, judge: ChatModel, k: int) -> Answered:
    started = time.perf_counter()
    found = await memory.retrieve(query.text, k=k, namespace=query.scope, min_relevance=0, now=query.now)
    retrieved = time.perf_counter()
    today = f"Today is {query.now[:10]}.\n" if query.now else ""
    prompt = f"{found.render() or '(no memories)'}\n\n{today}Question: {query.text}"
    reply = await answerer.complete([ChatMessage("system", ANSWER_PROMPT), ChatMessage("user", prompt)], max_tokens=ANSWER_TOKENS)
    answered = time.perf_counter()
    said = reply.text.strip()
    told = f"Question: {query.text}\nReference answer: {query.answer}\nAnswer: {said}"
    verdict = await judge.complete(
        [ChatMessage("system", JUDGE_PROMPT), ChatMessage("user", told)], max_tokens=JUDGE_TOKENS, schema=_VERDICT
    )
    return Answered(
        id=query.id,
        category=query.category,
        expected=str(query.answer),
        answer=said,
        correct=_correct(verdict.text),
        recalled=len(found.hits),
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        retrieve_ms=round(1000 * (retrieved - started), 2),
        answer_ms=round(1000 * (answered - retrieved), 2),
    )


def _correct(text: str) -> bool | None:
    """The verdict in the judge's reply; None where there is none, which is counted and not taken for a no."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except ValueError:
        return None
    verdict = found.get("correct") if isinstance(found, dict) else None
    return verdict if isinstance(verdict, bool) else None


def _begun(results: Path, head: Mapping[str, Any]) -> dict[str, Answered]:
    """What a run before has judged; the file is begun where there is none. A line cut short by a crash is left out."""
    if not results.exists() or not results.stat().st_size:
        results.write_text(json.dumps(head, ensure_ascii=False) + "\n", encoding="utf-8")
        return {}
    first, *lines = results.read_text(encoding="utf-8").splitlines(keepends=True)
    if _read(first) != dict(head):
        raise InvalidInput(f"{results} holds the answers of another run ({first.strip()[:200]}); name another file.")
    whole = [line for line in lines if line.endswith("\n")]
    if len(whole) < len(lines):
        results.write_text(first + "".join(whole), encoding="utf-8")
    try:
        return {each.id: each for each in (Answered(**json.loads(line)) for line in whole)}
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{results} cannot be read: {error}; name another file.") from None


def _read(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def needed(chat: ChatModel | None) -> ChatModel:
    """The model, or an error that says how to name one.

    Raises:
        ModelError: none is set.
    """
    if chat is None:
        raise ModelError("a language model is needed: set HINDSIGHT_CHAT_MODEL and HINDSIGHT_CHAT_URL (and _KEY).")
    return chat
