import pytest

from hindsight.text.entities import MAX_ENTITIES, EntityKind, extract_entities, normal_name

# text, (name, kind) pairs: all that is found
CASES = [
    # English people and places
    ("I met Rebecca and Natalie Smith yesterday.", [("Rebecca", "person"), ("Natalie Smith", "person")]),
    ("Rebecca's guitar is old.", [("Rebecca", "person")]),
    ("Which train did Rebecca take?", [("Rebecca", "person")]),
    ("We asked Dr. Lee and Mrs Johnson.", [("Dr. Lee", "person"), ("Mrs Johnson", "person")]),
    ("Zhenya went home.", [("Zhenya", "name")]),
    ("He moved to New York City from Seattle.", [("New York City", "place"), ("Seattle", "place")]),
    ("They hiked near Lake Tahoe and in Golden Gate Park.", [("Lake Tahoe", "place"), ("Golden Gate Park", "place")]),
    # organisations and products
    ("She studies at Stanford University.", [("Stanford University", "organisation")]),
    ("She works for Initech Inc now.", [("Initech Inc", "organisation")]),
    ("the University of Michigan", [("University of Michigan", "organisation")]),
    ("I bought a Samsung Galaxy S22.", [("Samsung Galaxy S22", "product")]),
    ("we run Python 3.11.2 here", [("Python 3.11.2", "product")]),
    ("my favourite is Lord of the Rings", [("Lord of the Rings", "name")]),
    # no names
    ("Thanks! That's awesome. Moments like this are rare.", []),
    ("Yesterday was Monday. In May it rains. I'm OK.", []),
    ("WHAT IS GOING ON HERE", []),
    ("Absolutely nothing here", []),
    # identifiers
    ("call getUserName() with user_id", [("getUserName", "identifier"), ("user_id", "identifier")]),
    ("raised ORA-00942 then E1101 and HTTP 404", [("ORA-00942", "identifier"), ("E1101", "identifier"), ("HTTP 404", "identifier")]),
    ("code 0x80070005 from os.path.join", [("0x80070005", "identifier"), ("os.path.join", "identifier")]),
    ("edit src/app/main.py and config.yaml", [("src/app/main.py", "identifier"), ("config.yaml", "identifier")]),
    ("see /etc/nginx/nginx.conf", [("/etc/nginx/nginx.conf", "identifier")]),
    # marked
    ('I read "The Silent Harbour" again', [("The Silent Harbour", "title")]),
    ("I finished 'The Long Bridge' today", [("The Long Bridge", "title")]),
    ('he said "no way, not again" twice', []),
    ("joined the #StairChallenge", [("StairChallenge", "tag")]),
    ("mail wang.li@example.com or https://docs.python.org/3/", [("wang.li@example.com", "email"), ("docs.python.org", "host")]),
    # Chinese
    ("周子涵在咖啡店和许文静聊天", [("周子涵", "person"), ("许文静", "person")]),
    ("张伟说明天来，李娜也去", [("张伟", "person"), ("李娜", "person")]),
    ("请王经理和李医生联系陈总", [("王经理", "person"), ("李医生", "person"), ("陈总", "person")]),
    ("老王和小李", [("老王", "person"), ("小李", "person")]),
    ("欧阳娜娜来了", [("欧阳娜娜", "person")]),
    ("在招商银行上班", [("招商银行", "organisation")]),
    ("他去了协和医院", [("协和医院", "organisation")]),
    ("毕业于浙江大学，住在西湖区", [("浙江大学", "organisation"), ("浙江", "place"), ("西湖区", "place")]),
    (
        "地点：浙江省杭州市西湖区文三路88号",
        [("浙江省", "place"), ("浙江", "place"), ("杭州市", "place"), ("杭州", "place"), ("西湖区", "place"), ("文三路", "place")],
    ),
    ("上周去了武汉", [("武汉", "place")]),
    ("在读《时间、空间与记忆》", [("时间、空间与记忆", "title")]),
    ("「银河漫步」到货了", [("银河漫步", "title")]),
    ("#江边日落# 很美", [("江边日落", "tag")]),
    ("用Notion记录，部署在Kubernetes上", [("Notion", "name"), ("Kubernetes", "name")]),
    ("调用 getUserName 时报错 ORA-00942", [("getUserName", "identifier"), ("ORA-00942", "identifier")]),
    # no Chinese names
    ("方便的话周一下午安排一下时间", []),
    ("高兴，感觉思路清晰，城市的道路很宽", []),
    ("这家公司和那所学校", []),
    ("金额很高，任务完成，温度适中", []),
    ("", []),
    ("   ", []),
    ("12345 67.8%", []),
    ("🎉🎉", []),
]


@pytest.mark.parametrize(("text", "names"), CASES, ids=[case[0] for case in CASES])
def test_finds(text, names):
    assert sorted((each.name, str(each.kind)) for each in extract_entities(text)) == sorted(names)


@pytest.mark.parametrize(
    ("name", "norm"),
    [
        ("Rebecca's", "rebecca"),
        ("Rebecca’s", "rebecca"),
        ("《山海》", "山海"),
        ("#Tag", "tag"),
        ("ＡＢＣ", "abc"),
        ("  New   York ", "new york"),
        ("O'Brien", "o'brien"),
    ],
)
def test_norm(name, norm):
    assert normal_name(name) == norm


def test_each_name_once_and_the_surer_kind():
    found = extract_entities("Rebecca met Rebecca's sister; rebecca called Rebecca.")
    assert [(each.name, each.kind, each.norm) for each in found] == [("Rebecca", EntityKind.PERSON, "rebecca")]


def test_other_languages_give_only_what_is_marked():
    assert extract_entities("Die Katze von Maria ist in München, siehe E1101", "other") == extract_entities("E1101")


def test_at_most_so_many():
    text = " ".join(f"func_{number}_x" for number in range(500))
    assert len(extract_entities(text)) == MAX_ENTITIES
