"""Fit what the guard weighs: the linear classifier's weights, and the literals that spare texts most patterns.

    python scripts/fit_guard.py needles                   # after any change of src/hindsight/guard/patterns_*.py
    python scripts/fit_guard.py classifier ATTACKS BENIGN [ATTACKS BENIGN …] [--ordinary CORPUS.jsonl.gz …]

Each file is JSON lines with ``text``, ``licence``, ``group`` and, for attacks, ``context_dependent``; rows under a
non-commercial licence, rows with ``only_measured`` and attacks that are wrong only in their context are left out. Rows of one group stay in one fold. Of each corpus of ordinary
texts (``_id``, ``text``, freely licensed), 600 are taken as benign ones. The thresholds are read off the out-of-fold scores of the benign texts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re._constants as ops  # the regular expression parser has no public name
import re._parser as parser
import sys
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.guard import patterns_en, patterns_other, patterns_zh
from hindsight.guard.classifier import BITS, WEIGHTS, features
from hindsight.guard.scan import scan

GUARD = Path(__file__).parents[1] / "src" / "hindsight" / "guard"
FREE = ("MIT", "MIT-0", "Apache-2.0")
FOLDS = 5
PENALTY = 0.02
STANDARD, STRICT = 0.004, 0.02
"""Share of benign texts above the threshold, out of fold."""
ORDINARY, ORDINARY_LENGTH = 600, 1_000
"""Texts taken of a corpus of ordinary ones, and characters of each."""
MOST_STRINGS = 64
COMMON = frozenset("abcdefghijklmnopqrstuvwxyz0123456789. ")
"""Literals that nearly every text holds."""
LITERAL = 7
"""Characters of a literal that are looked for: more would tell apart no more texts, and look for many that begin alike."""


def needles() -> dict[str, list[str]]:
    """By pattern, literals of which every match contains at least one; patterns that have none such are left out."""
    found = {}
    for table in (patterns_en, patterns_zh, patterns_other):
        for patterns in table.HARD.values():
            for pattern in patterns:
                literals = required(list(parser.parse(pattern)))
                if literals and min(map(worth, literals)) >= 3:
                    found[pattern] = sorted(shortest({each.lstrip()[:LITERAL] for each in literals}))
        for pattern in (each for patterns in table.SOFT.values() for each in patterns):
            literals = required(list(parser.parse(pattern)))
            if literals and not COMMON & literals:
                found[pattern] = sorted(fewest({each.lstrip()[:LITERAL] for each in literals}))
    return found


def worth(literal: str) -> float:
    """How much a literal narrows; a Han character says as much as two letters."""
    return len(literal.strip()) + len(re_han(literal))


def re_han(text: str) -> str:
    """Its Han characters."""
    return "".join(each for each in text if "\u3400" <= each <= "\u9fff")


def shortest(literals: set[str]) -> set[str]:
    """Without those that contain another."""
    return {each for each in literals if worth(each) >= 2 and not any(other != each and other in each for other in literals)}


def fewest(literals: set[str]) -> set[str]:
    """The same, however short they are."""
    return {each for each in literals if not any(other != each and other in each for other in literals)}


def rank(literals: set[str]) -> tuple[float, int]:
    """Long ones first, up to where more does not help; then few."""
    return min(4, *map(worth, literals)) if len(literals) > 1 else min(4, worth(next(iter(literals)))), -len(literals)


def required(items: list[Any]) -> set[str] | None:
    """The best set of literals for a sequence of parsed items."""
    best: set[str] | None = None
    run: set[str] = {""}

    def offer(strings: set[str] | None) -> None:
        nonlocal best
        if strings and all(strings) and (best is None or rank(strings) > rank(best)):
            best = strings

    for item in items:
        strings = exact(item)
        if strings is not None and len(run) * len(strings) <= MOST_STRINGS:
            run = {first + second for first, second in product(run, strings)}
            continue
        offer(run)
        run = {""}
        if strings is not None and len(strings) <= MOST_STRINGS:
            run = strings
        else:
            offer(inside(item))
    offer(run)
    return best


def exact(item: Any) -> set[str] | None:
    """Every string that the item matches, where they are few."""
    kind, value = item
    if kind is ops.LITERAL:
        return {chr(value)}
    if kind in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return {""}
    if kind is ops.IN and all(each[0] is ops.LITERAL for each in value):
        return {chr(each[1]) for each in value}
    if kind is ops.SUBPATTERN:
        return sequence(list(value[-1]))
    if kind is ops.BRANCH:
        found: set[str] = set()
        for branch in value[1]:
            strings = sequence(list(branch))
            if strings is None:
                return None
            found |= strings
        return found if len(found) <= MOST_STRINGS else None
    if kind is ops.MAX_REPEAT and value[0] == 0 and value[1] == 1:
        strings = sequence(list(value[2]))
        return None if strings is None else strings | {""}
    return None


def sequence(items: list[Any]) -> set[str] | None:
    """Every string that the items match one after another, where they are few."""
    found = {""}
    for item in items:
        strings = exact(item)
        if strings is None or len(found) * len(strings) > MOST_STRINGS:
            return None
        found = {first + second for first, second in product(found, strings)}
    return found


def inside(item: Any) -> set[str] | None:
    """What an item that matches too many strings still requires."""
    kind, value = item
    if kind is ops.SUBPATTERN:
        return required(list(value[-1]))
    if kind is ops.MAX_REPEAT and value[0] >= 1:
        return required(list(value[2]))
    if kind is ops.BRANCH:
        found: set[str] = set()
        for branch in value[1]:
            strings = required(list(branch))
            if strings is None:
                return None
            found |= strings
        return found
    return None


def rows_of(paths: list[Path]) -> list[tuple[str, int, str]]:
    """(text, 1 for an attack, group) of what may be trained on."""
    if len(paths) % 2:
        sys.exit("give files in pairs: attacks, then benign texts")
    rows = []
    for place, path in enumerate(paths):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            attack = place % 2 == 0
            if row["licence"] in FREE and not (attack and row.get("context_dependent")) and not row.get("only_measured"):
                rows.append((row["text"], int(attack), str(row["group"])))
    return rows


def ordinary(path: Path) -> list[tuple[str, int, str]]:
    """The same of a corpus: texts spread over it, their beginnings."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = sorted(rows, key=lambda row: zlib.crc32(str(row["_id"]).encode()))[:ORDINARY]
    return [(row["text"][:ORDINARY_LENGTH], 0, str(row["_id"])) for row in chosen]


def fit(found: list[NDArray[np.int64]], labels: NDArray[np.float64], rounds: int = 300) -> tuple[NDArray[np.float64], float]:
    """Logistic regression with an L2 penalty by accelerated gradient descent (Nesterov), on rows of hashed features."""
    size = 2**BITS
    rows = np.repeat(np.arange(len(found)), [len(each) for each in found])
    columns = np.concatenate(found)
    values = np.concatenate([np.full(len(each), 1 / np.sqrt(len(each) + 1)) for each in found])
    weights = ahead = np.zeros(size)
    bias = ahead_bias = 0.0
    step, momentum = 4.0, 1.0
    for _ in range(rounds):
        scores = np.bincount(rows, ahead[columns] * values, len(found)) + ahead_bias
        error = (1 / (1 + np.exp(-scores)) - labels) / len(found)
        slope = np.bincount(columns, error[rows] * values, size) + PENALTY * ahead / len(found)
        after, after_bias = ahead - step * slope, ahead_bias - step * error.sum()
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = after + (momentum - 1) / following * (after - weights)
        ahead_bias = after_bias + (momentum - 1) / following * (after_bias - bias)
        weights, bias, momentum = after, after_bias, following
    return weights, bias


def scores(found: list[NDArray[np.int64]], weights: NDArray[np.float64], bias: float) -> NDArray[np.float64]:
    """Log-odds of each text."""
    return np.array([bias + weights[each].sum() / np.sqrt(len(each) + 1) for each in found])


def classifier(paths: list[Path], corpora: list[Path]) -> None:
    """Fit, report out of fold, write the weights."""
    rows = rows_of(paths) + [row for path in corpora for row in ordinary(path)]
    scanned = [scan(text) for text, _, _ in rows]
    found = [features(each) for each in scanned]
    labels = np.array([label for _, label, _ in rows], dtype=np.float64)
    folds = np.array([zlib.crc32(group.encode()) % FOLDS for _, _, group in rows])
    held = np.full(len(rows), np.nan)
    for number in range(FOLDS):
        kept = np.flatnonzero(folds != number)
        weights, bias = fit([found[each] for each in kept], labels[kept])
        out = np.flatnonzero(folds == number)
        held[out] = scores([found[each] for each in out], weights, bias)
    benign = labels == 0
    passed = np.array([not each.families for each in scanned])
    standard, strict = (float(np.quantile(held[benign & passed], 1 - share)) for share in (STANDARD, STRICT))
    weights, bias = fit(found, labels)
    scale = float(np.abs(weights).max() / 32_000)
    np.savez_compressed(
        GUARD / WEIGHTS,
        weights=np.round(weights / scale).astype(np.int16),
        scale=scale,
        bias=bias,
        standard=standard,
        strict=strict,
    )
    missed = ~benign & passed
    report = {
        "texts": len(rows),
        "attacks": int((~benign).sum()),
        "out_of_fold": {
            name: {
                "benign": float((held[benign] >= least).mean()),
                "attacks": float((held[~benign] >= least).mean()),
                "of those the scan missed": float((held[missed] >= least).mean()),
                "missed": int(missed.sum()),
            }
            for name, least in (("standard", standard), ("strict", strict))
        },
        "bytes": (GUARD / WEIGHTS).stat().st_size,
    }
    print(json.dumps(report, indent=1))


def main() -> None:
    """Read the command line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["needles", "classifier"])
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--ordinary", nargs="*", type=Path, default=[])
    given = arguments.parse_args()
    if given.what == "classifier":
        classifier(given.files, given.ordinary)
        return
    made = needles()
    (GUARD / "needles.json").write_text(json.dumps(made, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(made)} patterns with literals")


if __name__ == "__main__":
    main()
