"""Tokens of a text, counted with the bundled model's vocabulary."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from hindsight.text.lengths import estimate_tokens

if TYPE_CHECKING:
    from hindsight.adapters.embedders.unigram import UnigramTokeniser


class BundledTokenCount:
    """Counts with the vocabulary of the converted bundled model (XLM-RoBERTa's); where it was not converted yet, estimates.

    The vocabulary is loaded by the first count (0.2 s, 50 MB). Callable from any thread.
    """

    def __init__(self, cache_folder: Path | None = None) -> None:
        self._folder = cache_folder
        self._lock = threading.Lock()
        self._tokeniser: UnigramTokeniser | None = None

    def __call__(self, text: str) -> int:
        """The number of tokens."""
        tokeniser = self._tokeniser or self._loaded()
        return len(tokeniser.encode(text)) if tokeniser is not None else estimate_tokens(text)

    def _loaded(self) -> UnigramTokeniser | None:
        from hindsight.adapters.embedders.conversion import VOCABULARY_FILE, converted_folder
        from hindsight.adapters.embedders.unigram import UnigramTokeniser

        path = converted_folder(self._folder) / VOCABULARY_FILE
        with self._lock:
            if self._tokeniser is None and path.is_file():
                self._tokeniser = UnigramTokeniser.load(path)
            return self._tokeniser
