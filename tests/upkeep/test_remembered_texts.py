"""What a process works out of texts is remembered; once a record was erased, nothing of it is."""

from __future__ import annotations

from datetime import timedelta

import pytest
from keeping import BEGIN, kept

from hindsight.clock import FixedClock
from hindsight.text.remembered import forget_texts, remembered

WORKED_OUT: list[str] = []


@remembered(8)
def reading(text: str) -> str:
    WORKED_OUT.append(text)
    return text.upper()


async def by_id(memory, saved, clock) -> None:
    assert await memory.forget(saved.id)


async def of_a_person(memory, saved, clock) -> None:
    report = await memory.erase([saved.id])
    assert report.removed["memories"] == 1


async def by_time(memory, saved, clock) -> None:
    clock.instant += timedelta(days=2)
    assert (await memory.upkeep("expire")).counts == {"expired": 1}


@pytest.mark.parametrize("erase", [by_id, of_a_person, by_time])
async def test_nothing_is_remembered_of_erased_texts(tmp_path, erase):
    clock = FixedClock(BEGIN)
    async with kept(tmp_path / "store", clock) as memory:
        saved = await memory.store("Ada's door code is 4711", kind="fact", expires_at=BEGIN + timedelta(days=1))
        forget_texts()
        WORKED_OUT.clear()
        for _ in range(2):
            assert reading("Ada's door code") == "ADA'S DOOR CODE"
        assert WORKED_OUT == ["Ada's door code"]
        await erase(memory, saved, clock)
        reading("Ada's door code")
    assert WORKED_OUT == ["Ada's door code"] * 2


def test_the_readings_of_the_product_are_among_them():
    from hindsight.guard import classifier, examine, tables
    from hindsight.remember.reconcile import frame, relate
    from hindsight.text import tokens

    functions = [
        classifier._word,
        examine._scanned,
        examine._score,
        tables._grams,
        frame._type_of_token,
        relate.frame_of,
        relate._folded_statement,
        tokens._word_tokens,
    ]
    relate.frame_of("Ada's door code is 4711", None)
    examine._score("Ada's door code is 4711")
    assert any(each.cache_info().currsize for each in functions)
    forget_texts()
    assert not any(each.cache_info().currsize for each in functions)


def test_a_tokeniser_forgets_its_words_and_is_itself_forgotten():
    import gc
    import weakref

    import numpy as np

    from hindsight.adapters.embedders.unigram import SPACE, UnigramTokeniser

    tokeniser = UnigramTokeniser([SPACE, "a", "da"], [5, 6, 7], np.zeros(8, dtype=np.float32), {})
    ids = tokeniser.encode("ada ada")
    assert tokeniser._words
    forget_texts()
    assert not tokeniser._words
    assert tokeniser.encode("ada ada") == ids
    gone = weakref.ref(tokeniser)
    del tokeniser
    gc.collect()
    assert gone() is None
    forget_texts()
