"""Packages that only some settings need: imported when used, and named with their install command when missing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from hindsight.errors import MissingExtra, ModelUnavailable


def optional_module(module: str, *, purpose: str, install: str) -> Any:
    """The imported module.

    Raises:
        MissingExtra: it is not installed, or cannot be loaded on this machine; the message holds the command.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(f"{purpose} needs the package {module}, which cannot be imported ({error}): pip install '{install}'") from error


def loaded_model(make: Callable[[], Any], name: str) -> Any:
    """What ``make`` makes of a model of another package.

    Raises:
        ModelUnavailable: it fails, in whatever way.
    """
    try:
        return make()
    except Exception as error:
        # Downloading, reading and building a model fail with classes of many packages.
        raise ModelUnavailable(
            f"The model {name} cannot be loaded: {error}. Is the name right, and can it be downloaded from here?"
        ) from error
