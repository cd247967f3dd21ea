import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hindsight.adapters.embedders.text_lengths import cut, estimated_tokens, token_batches
from hindsight.adapters.embedders.windows import batches_by_length, pooled, windows_of

sizes = st.integers(2, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@given(length=st.integers(0, 3_000), sizes=sizes, most=st.integers(2, 40))
def test_windows_cover_begin_and_end(length, sizes, most):
    size, overlap = sizes
    tokens = list(range(length))
    windows = windows_of(tokens, size=size, overlap=overlap, most=most)
    assert 1 <= len(windows) <= most
    each = len(windows[0])
    assert each <= size
    assert {len(window) for window in windows} == {each}
    assert windows[0] == tokens[:each]
    assert windows[-1] == tokens[length - each :]
    if len(windows) < most:
        assert {token for window in windows for token in window} == set(tokens)
        # As few as cover the text, and no longer than the overlap needs.
        assert len(windows) == 1 or length > (len(windows) - 1) * (size - overlap) + overlap
        assert len(windows) * each < length + (len(windows) - 1) * overlap + len(windows)


@given(lengths=st.lists(st.integers(1, 40), max_size=80), budget=st.integers(1, 100))
def test_batches_hold_one_length_and_every_text_once(lengths, budget):
    batches = list(batches_by_length(lengths, budget=budget))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[index] for index in batch}) == 1
        assert len(batch) == 1 or sum(lengths[index] for index in batch) <= budget


def test_a_text_is_the_weighted_mean_of_its_windows():
    vectors = np.array([[1, 0], [0, 1], [3, 4]], np.float32)
    found = pooled(vectors, [0, 0, 1], [3, 4, 7], 2)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6, 0.8]], atol=1e-6)


@given(texts=st.lists(st.text(max_size=400), max_size=30), tokens=st.integers(20, 200))
def test_texts_are_cut_into_windows_of_their_own(texts, tokens):
    parts = cut(texts, tokens=tokens)
    assert sorted(set(parts.owners)) == list(range(len(texts)))
    for part, owner in zip(parts.texts, parts.owners, strict=True):
        assert part in texts[owner]
    assert all(weight > 0 for weight in parts.weights)


@given(texts=st.lists(st.text(max_size=200), max_size=60), tokens=st.integers(10, 500), most=st.integers(1, 20))
def test_batches_of_an_import_are_consecutive_and_bounded(texts, tokens, most):
    batches = list(token_batches(texts, tokens=tokens, most=most))
    assert [index for part, _ in batches for index in range(part.start, part.stop)] == list(range(len(texts)))
    for part, needed in batches:
        assert part.stop - part.start <= most
        assert needed <= tokens or part.stop - part.start == 1
        assert abs(needed - sum(map(estimated_tokens, texts[part]))) < 1e-6


def test_estimates_know_both_scripts():
    assert 8 <= estimated_tokens("检查容器是否在同一网络") <= 14
    assert 8 <= estimated_tokens("Check whether the containers share a network") <= 14
