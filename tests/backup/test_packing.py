"""What is packed comes back whole, or not at all."""

from __future__ import annotations

import os

import pytest

from hindsight.errors import ConfigurationError, StoreCorrupt
from hindsight.upkeep.packing import PIECE, new_salt, pack, unpack


def packed(tmp_path, data: bytes, passphrase: bytes | None):
    (tmp_path / "plain").write_bytes(data)
    pack(tmp_path / "plain", tmp_path / "packed", passphrase, new_salt())
    return tmp_path / "packed"


@pytest.mark.parametrize("passphrase", [None, "密码 passphrase".encode()])
@pytest.mark.parametrize("size", [0, 1, PIECE, 3 * PIECE + 5])
def test_round_trip(tmp_path, size, passphrase) -> None:
    data = os.urandom(size)
    unpack(packed(tmp_path, data, passphrase), tmp_path / "again", passphrase)
    assert (tmp_path / "again").read_bytes() == data
    assert (tmp_path / "packed").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("change", ["cut at a piece", "cut inside", "flipped", "swapped", "more"])
def test_changed_pieces_are_noticed(tmp_path, change) -> None:
    file = packed(tmp_path, os.urandom(3 * PIECE), b"p")
    data = bytearray(file.read_bytes())
    head, piece = 4 + 16 + 7, PIECE + 16
    if change == "cut at a piece":
        del data[head + piece :]
    elif change == "cut inside":
        del data[-5:]
    elif change == "flipped":
        data[head + piece + 9] ^= 1
    elif change == "swapped":
        first, second = data[head : head + piece], data[head + piece : head + 2 * piece]
        data[head : head + 2 * piece] = second + first
    else:
        data += b"more"
    file.write_bytes(bytes(data))
    with pytest.raises((StoreCorrupt, ConfigurationError), match="damaged|changed"):
        unpack(file, tmp_path / "again", b"p")


def test_one_without_encryption_is_checked_too(tmp_path) -> None:
    file = packed(tmp_path, b"text " * 10_000, None)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(StoreCorrupt, match="damaged"):
        unpack(file, tmp_path / "again", None)
