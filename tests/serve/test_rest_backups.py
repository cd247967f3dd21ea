"""Backups over REST: made, listed, pruned, for admins alone, and only where the server's owner said."""

from __future__ import annotations

import httpx
import pytest
from serving import HttpThread

from hindsight.client import RestClient
from hindsight.errors import AccessDenied


def test_a_backup_is_made_listed_and_the_oldest_goes(tmp_path) -> None:
    place = tmp_path / "backups"
    with (
        HttpThread(str(tmp_path / "memory"), backup_to=str(place), backup_keep=2) as server,
        RestClient(server.url, token="") as memory,
    ):
        memory.store("Backups run at 03:00", kind="fact")
        assert memory.backups() == []
        made = [memory.backup() for _ in range(3)]
        assert made[0].counts
        assert made[0].size == sum(file.size for file in made[0].files)
        assert {each.id for each in memory.backups()} == {each.id for each in made[1:]}
        assert all((place / made[2].id / file.name).stat().st_size == file.size for file in made[2].files)
        # the body names no place of its own
        elsewhere = tmp_path / "elsewhere"
        assert httpx.post(f"{server.url}/v1/backups", json={"to": str(elsewhere)}).status_code == 201
        assert not elsewhere.exists()
        with RestClient(server.url, token=memory.create_token("agent", agent="agent", scopes=["read", "write"]).secret) as agent:
            for call in (agent.backup, agent.backups):
                with pytest.raises(AccessDenied, match="admin"):
                    call()


def test_without_a_setting_backups_lie_beside_the_store(tmp_path) -> None:
    with HttpThread(str(tmp_path / "memory")) as server, RestClient(server.url, token="") as memory:
        made = memory.backup()
        assert (tmp_path / "memory-backups" / made.id).is_dir()
        assert [each.id for each in memory.backups()] == [made.id]
