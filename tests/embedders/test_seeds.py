import numpy as np

from hindsight.adapters.embedders.conversion import MODEL_ID
from hindsight.adapters.embedders.seeds import centring_for

MEMORIES = {
    "zh": ["我女儿对花生过敏", "容器必须在同一网络里", "退款要主管审批", "周三的会改到下午", "他养了一只橘猫", "数据库连接池满了"],
    "en": [
        "My daughter is allergic to peanuts",
        "The containers must share a network",
        "Refunds need approval",
        "Wednesday's meeting moved",
        "He has a ginger cat",
        "The pool was full",
    ],
}


def test_each_language_has_its_seed():
    centring = centring_for(MODEL_ID)
    assert set(centring.seeds) == {"zh", "en", ""}
    assert MODEL_ID in centring.version
    assert centring.weight > 0
    for seed in centring.seeds.values():
        assert seed.shape == (384,)
        assert 0.85 < np.linalg.norm(seed) < 1


def test_other_models_are_centred_on_their_own_vectors():
    assert not centring_for("openai/text-embedding-3-small/1536").seeds
    assert centring_for("openai/text-embedding-3-small/1536").version != centring_for(MODEL_ID).version


async def test_seeds_take_away_what_all_texts_share(e5):
    centring = centring_for(MODEL_ID)
    for language, texts in MEMORIES.items():
        vectors = await e5.embed(texts, kind="passage")
        moved = vectors - centring.seeds[language]
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        others = ~np.eye(len(texts), dtype=bool)
        assert (vectors @ vectors.T)[others].mean() > 0.7
        assert abs((moved @ moved.T)[others].mean()) < 0.3
