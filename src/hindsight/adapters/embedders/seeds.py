"""The mean vectors from which centring starts, before a namespace has vectors of its own.

Vectors of the bundled model lie in a narrow cone, shifted by language; what tells two texts apart is the difference from the
mean. The seeds are means of varied sentences of our own (``scripts/model_centring.py``), one a language.
"""

from __future__ import annotations

from importlib import resources

import numpy as np

from hindsight.adapters.embedders.conversion import MODEL_ID
from hindsight.ports import Centring

SEEDS_FILE = "language_means.npz"
_WEIGHT = 50.0


def centring_for(model_id: str) -> Centring:
    """How vectors of a model are centred: from seeds where the package has them, else from the namespace's vectors alone."""
    if model_id != MODEL_ID:
        return Centring(version="corpus/1", weight=_WEIGHT)
    with resources.files("hindsight.adapters.embedders").joinpath(SEEDS_FILE).open("rb") as file, np.load(file) as means:
        seeds = {"" if language == "other" else language: means[language] for language in means.files}
    return Centring(version=f"{MODEL_ID}/means/1", seeds=seeds, weight=_WEIGHT)
