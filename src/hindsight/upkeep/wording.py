"""One sentence in the words of a language model, where one is set; what it may not say, and what happens when it does not answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hindsight.errors import ConfigurationError, ModelError
from hindsight.ports import ChatMessage, ChatModel
from hindsight.remember.distil.clauses import language_of
from hindsight.upkeep.digest import cut
from hindsight.upkeep.run import Run

FAILURES = 3
"""After so many the model is not asked again in this run: each may have taken its whole time limit."""
_MOST_TOKENS = 160
_LONGEST_SHOWN = 8_000
_NUMBER = re.compile(r"\d+")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_NO_SENTENCE = re.compile(r"[{\[<`#|*•-]|.*```", re.DOTALL)
_QUOTES = {'"': '"', "“": "”", "「": "」", "'": "'"}


class Wording:
    """Asks for the sentences of one run. ``chat`` None: there is no model, and nothing is ever worded."""

    def __init__(self, chat: ChatModel | None, run: Run) -> None:
        self._chat = None if run.dry_run else chat  # a look at what would be done is not worth what a model costs
        self._run = run
        self._failures = 0

    async def say(self, prompts: Mapping[str, str], told: str) -> tuple[str, str] | None:
        """(sentence, name of the model) that sums up ``told``; None where there is none that names only numbers which stand there."""
        if self._chat is None or self._failures >= FAILURES:
            return None
        prompt = prompts["zh" if language_of(told) == "zh" else "en"]
        try:
            reply = await self._chat.complete(
                [ChatMessage("system", prompt), ChatMessage("user", told[:_LONGEST_SHOWN])], max_tokens=_MOST_TOKENS
            )
        except (ModelError, ConfigurationError) as error:
            self._failures += 1
            if self._failures >= FAILURES:
                self._run.note(f"the language model does not answer; texts were drawn from the records' own sentences ({error}).")
            return None
        sentence = usable(reply.text, told) if reply.complete else None
        return None if sentence is None else (sentence, self._chat.model_id)


def usable(answer: str, told: str) -> str | None:
    """The sentence of an answer, if it is one: no code, markup or JSON, and no number that is not in ``told``."""
    text = " ".join(_THOUGHT.sub(" ", answer).split())
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    if not text or _NO_SENTENCE.match(text) or not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(told)):
        return None
    return cut(text)
