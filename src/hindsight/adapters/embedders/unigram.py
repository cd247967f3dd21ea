"""The SentencePiece unigram tokeniser of multilingual-e5-small, in Python: 50 MB instead of the 300 MB of a compiled one.

A text becomes the pieces whose log probabilities have the greatest sum (Kudo 2018, Viterbi over all segmentations). Pieces
hold a space only at their start, so that words can be segmented one by one and remembered. Characters are first replaced
by their normalised forms (NFKC as SentencePiece ships it), runs of spaces become one, and a text begins with a space.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hindsight.text.remembered import remembers

SPACE = "\u2581"
"""Stands for a space inside pieces."""

UNKNOWN = 3
START, END = 0, 2
_SPECIAL = frozenset({"<s>", "<pad>", "</s>", "<unk>", "<mask>"})
_UNKNOWN_PENALTY = 10.0
_REMEMBERED_WORDS = 50_000
_REMEMBERED_LENGTH = 16
_RUN = 2_000
"""Characters without a space that are segmented together; a longer run is cut, which bounds time and memory."""

_SPACES = re.compile("  +")


class UnigramTokeniser:
    """Token ids of texts. Control pieces (``<s>`` and the like) written in a text are text, never control tokens."""

    def __init__(self, pieces: Sequence[str], ids: Sequence[int], scores: NDArray[np.float32], replacements: Mapping[int, str]) -> None:
        """``pieces`` from short to long, ``ids`` beside them; ``scores`` (log probabilities) by id; ``replacements`` by code point."""
        self._ids = dict(zip(pieces, ids, strict=True))
        for piece in _SPECIAL:
            self._ids.pop(piece, None)
        # An array holds bare numbers; a list of float objects would take seven times the memory.
        self._scores = array("f", scores.tobytes())
        self._unknown = float(scores.min()) - _UNKNOWN_PENALTY
        self._replacements = replacements
        # The longest piece that begins with two given characters: no longer slice of a text needs to be looked up.
        self._longest = {piece[:2]: len(piece) for piece in pieces if len(piece) > 1}
        self._words: dict[str, list[int]] = {}
        remembers(self._words_forgotten)

    @classmethod
    def load(cls, path: Path) -> UnigramTokeniser:
        """From the vocabulary file of a converted model."""
        with np.load(path) as file:
            pieces = file["pieces"].tobytes().decode().split("\n")
            forms = file["forms"].tobytes().decode().split("\n")
            replacements = dict(zip(file["codes"].tolist(), forms, strict=True))
            return cls(pieces, file["ids"].tolist(), file["scores"], replacements)

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without start and end; a text of spaces alone has the one id of a space."""
        normal = _SPACES.sub(" ", text.translate(self._replacements))
        ids: list[int] = []
        for word in normal.removeprefix(" ").split(" "):
            ids += self._word(SPACE + word)
        return ids

    def _words_forgotten(self) -> None:
        self._words.clear()

    def _word(self, word: str) -> list[int]:
        if len(word) > _REMEMBERED_LENGTH:
            return [number for start in range(0, len(word), _RUN) for number in self._segment(word[start : start + _RUN])]
        known = self._words.get(word)
        if known is None:
            if len(self._words) >= _REMEMBERED_WORDS:
                self._words.clear()
            known = self._words[word] = self._segment(word)
        return known

    def _segment(self, word: str) -> list[int]:
        length = len(word)
        best = [0.0] + [float("-inf")] * length
        piece_to = [UNKNOWN] * (length + 1)
        start_of = [0] * (length + 1)
        find, scores, longest = self._ids.get, self._scores, self._longest
        for start in range(length):
            score_here = best[start]
            end = start + 1
            reach = min(longest.get(word[start : start + 2], 1), length - start)
            if score_here + self._unknown > best[end]:
                best[end], piece_to[end], start_of[end] = score_here + self._unknown, UNKNOWN, start
            for end in range(start + 1, start + max(reach, 1) + 1):
                number = find(word[start:end])
                if number is not None:
                    score = score_here + scores[number]
                    if score > best[end]:
                        best[end], piece_to[end], start_of[end] = score, number, start
        ids: list[int] = []
        end = length
        while end > 0:
            ids.append(piece_to[end])
            end = start_of[end]
        ids.reverse()
        return ids
