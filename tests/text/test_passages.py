"""Long texts fall into passages; nothing of them is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hindsight.text.lengths import estimate_tokens
from hindsight.text.passages import LONG_TOKENS, MOST_PASSAGES, PASSAGE_TOKENS, split_passages

CHAT = "\n".join(
    f"user: question number {n} about the garden\nassistant: {'Plant it in spring and water it well. ' * 12}" for n in range(6)
)


def test_a_short_text_is_one_passage() -> None:
    assert split_passages("用户对花生过敏") == []
    assert split_passages("") == []


def test_a_speaker_begins_a_passage() -> None:
    passages = split_passages(CHAT)
    assert [passage for passage in passages if passage.startswith("user: question number 3")] == [
        "user: question number 3 about the garden"
    ]
    assert all("\nuser:" not in passage for passage in passages)


def test_a_label_that_stands_once_is_no_speaker() -> None:
    text = "Ingredients: rice\n" + "\n".join(f"step {n}, stir the pot and wait a little" for n in range(120))
    assert split_passages(text)[0] != "Ingredients: rice"


def test_chinese_is_cut_at_the_ends_of_sentences() -> None:
    passages = split_passages("我们讨论了下一个版本的发布计划和回滚方案。" * 60)
    assert len(passages) > 1
    assert all(passage.endswith("。") for passage in passages)


@given(st.text(alphabet=st.sampled_from("ab 。.\n：:用户x1"), min_size=0, max_size=6000))
def test_passages_hold_the_whole_text(text: str) -> None:
    passages = split_passages(text)
    if estimate_tokens(text) <= LONG_TOKENS:
        assert passages == []
    else:
        assert "".join("".join(passages).split()) == "".join(text.split())


def test_a_huge_text_gives_a_bounded_number() -> None:
    passages = split_passages("one sentence that is not very long. " * 30_000)
    assert 1 < len(passages) <= 2 * MOST_PASSAGES
    assert max(estimate_tokens(passage) for passage in passages) > PASSAGE_TOKENS
