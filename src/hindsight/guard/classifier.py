"""A small linear classifier over the folded text: how much a text reads like an instruction to a model. Pure, numpy only.

Features are hashed words, word pairs and letter sequences of the folded text and of its last sentence, beside the hints that
the scan found: what the text speaks of (money, controls, other agents …), alone and in pairs. The families that the scan
decides by are none of them: what it holds back is not asked about here. The weights are made by ``scripts/fit_guard.py``.
"""

from __future__ import annotations

import itertools
import math
import re
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hindsight.guard.scan import Findings
from hindsight.text.remembered import remembered

BITS = 15
"""2**BITS hashed features."""
_MASK = 2**BITS - 1
READ = 4_000
"""Characters of a longer text that are read: its beginning and its end."""
FITTED = 500
"""Characters that most texts have which the weights were fitted on."""
WEIGHTS = "classifier.npz"
_WORD = re.compile(r"[a-z0-9_'\u00c0-\u024f\u0370-\u1fff]+|[\u3040-\u9fff\uac00-\ud7af]|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?。！？;；])\s*|\n+|[:：]\s")


@dataclass(frozen=True, slots=True)
class Classifier:
    """Weights of the hashed features, and the thresholds of the two strictnesses."""

    weights: NDArray[np.float32]
    bias: float
    standard: float
    strict: float

    def score(self, findings: Findings) -> float:
        """Log-odds of being an attack; 0 is even."""
        indexes = features(findings)
        return self.bias + float(self.weights[indexes].sum()) / math.sqrt(len(indexes) + 1)

    def threshold(self, strictness: Literal["off", "standard", "strict"], size: int) -> float:
        """From which score a text is held back; longer texts than it was fitted on need more evidence."""
        least = self.strict if strictness == "strict" else self.standard
        return least if size <= FITTED else least + 2 * math.log(size / FITTED)


def features(findings: Findings) -> NDArray[np.int64]:
    """Indexes of the features of a scanned text, each once."""
    folded = findings.copies.folded
    if len(folded) > READ:
        folded = folded[: READ // 2] + " " + folded[-READ // 2 :]
    sentences = [each for each in _SENTENCE.split(folded) if each and each.strip()]
    places = _places(folded, b"") | _places(sentences[-1] if sentences else folded, b"last ")
    hints = sorted(findings.hints)
    names = [f"hint {name}" for name in hints]
    names += [f"hints {first} {second}" for first, second in itertools.combinations(hints, 2)]
    places.update(zlib.crc32(name.encode()) & _MASK for name in names)
    return np.fromiter(sorted(places), dtype=np.int64, count=len(places))


def _places(text: str, where: bytes) -> set[int]:
    """Where the words of a text, its pairs and triples of words and the letter sequences of its longer words are hashed to.

    The checksum of a sequence goes on from that of its beginning: no name is put together.
    """
    crc32 = zlib.crc32
    words = [_word(word, where) for word in _WORD.findall(text)]
    pairs = [crc32(after[1], before[0]) for before, after in pairwise(words)]
    triples = [crc32(after[1], before) for before, after in zip(pairs, words[2:], strict=False)]
    places = {each & _MASK for each in pairs}
    places.update([each & _MASK for each in triples])
    return places.union(*[word[2] for word in words])


@remembered(8_192)
def _word(word: str, where: bytes) -> tuple[int, bytes, tuple[int, ...]]:
    """The checksum of a word, what of it a sequence goes on with, and where it and the sequences of four and five letters of a longer one are
    hashed to. Words recur, so that they are remembered.
    """
    encoded = word.encode()
    single = zlib.crc32(encoded, zlib.crc32(where))
    if len(word) <= 4:
        return single, b" " + encoded, (single & _MASK,)
    padded = f"^{word}$"
    start = zlib.crc32(where + b"~")
    letters = {zlib.crc32(padded[at : at + size].encode(), start) & _MASK for size in (4, 5) for at in range(len(padded) - size + 1)}
    return single, b" " + encoded, (single & _MASK, *letters)


@cache
def bundled() -> Classifier | None:
    """The classifier that comes with the package; None where its weights were left out."""
    file = resources.files("hindsight.guard").joinpath(WEIGHTS)
    if not file.is_file():
        return None
    with file.open("rb") as opened, np.load(opened) as stored:
        weights = stored["weights"].astype(np.float32) * float(stored["scale"])
        return Classifier(weights, float(stored["bias"]), float(stored["standard"]), float(stored["strict"]))
