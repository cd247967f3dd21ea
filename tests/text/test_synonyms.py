import pytest

from hindsight.errors import InvalidInput
from hindsight.text.synonyms import infer_task_type, neighbours, normalise_outcome, normalise_task_type


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("success", "success"), ("OK", "success"), ("passed", "success"), ("成功", "success"), (" 已完成 ", "success"),
        ("failed", "failure"), ("Error", "failure"), ("失败", "failure"), ("报错", "failure"), ("timed_out", "failure"),
        ("resolved", "fixed"), ("已修复", "fixed"), ("解决了", "fixed"),
        ("corrected", "corrected"), ("被纠正", "corrected"), ("user-corrected", "corrected"),
        ("unknown", "unknown"), ("未知", "unknown"), ("N/A", "unknown"),
    ],
)  # fmt: skip
def test_outcomes(value, outcome):
    assert normalise_outcome(value) == outcome


@pytest.mark.parametrize("value", ["", "  ", "purple", "成 败", "success; drop", "\ud800", None, 1])
def test_unknown_outcomes_are_refused_with_the_allowed_values(value):
    with pytest.raises(InvalidInput, match="success, failure, fixed, corrected, unknown"):
        normalise_outcome(value)


@pytest.mark.parametrize(
    ("value", "task_type"),
    [
        ("deploy", "deployment"), ("部署", "deployment"), ("Deployment", "deployment"), ("CI/CD", "deployment"), ("上线任务", "deployment"),
        ("debug", "troubleshooting"), ("排查", "troubleshooting"), ("故障排查", "troubleshooting"), ("bug-fix", "troubleshooting"),
        ("Data Analysis", "data_analysis"), ("data-analysis", "data_analysis"), ("data_analysis", "data_analysis"), ("数据分析", "data_analysis"),
        ("客服", "customer_service"), ("编程", "coding"), ("翻译", "translation"),
        ("Image Search", "image_search"), ("图像 检索", "图像_检索"), ("gardening", "gardening"), ("a/b", "a_b"),
    ],
)  # fmt: skip
def test_task_types(value, task_type):
    assert normalise_task_type(value) == task_type


@pytest.mark.parametrize("value", ["", "   ", "!!", "\u200b", None, 7])
def test_empty_task_types_are_refused(value):
    with pytest.raises(InvalidInput, match="task_type"):
        normalise_task_type(value)


def test_neighbours():
    assert neighbours("部署")[0] == "troubleshooting"
    assert neighbours("gardening") == ()


@pytest.mark.parametrize(
    ("text", "task_type"),
    [
        ("deploy the payment service to production", "deployment"),
        ("把支付服务部署到生产环境", "deployment"),
        ("部署失败怎么办", "deployment"),
        ("Docker 容器网络不通", "troubleshooting"),
        ("why does it fail with a timeout error?", "troubleshooting"),
        ("KeyError in parser", "troubleshooting"),
        ("排查登录接口超时", "troubleshooting"),
        ("refactor the billing module", "coding"),
        ("write unit tests for the parser", "testing"),
        ("配置 nginx 反向代理", "configuration"),
        ("analyze the sales figures in pandas", "data_analysis"),
        ("统计分析上季度的销售数据", "data_analysis"),
        ("a customer wants a refund", "customer_service"),
        ("用户申请退款", "customer_service"),
        ("翻译这段话", "translation"),
        ("write an email to the landlord", "writing"),
        ("订酒店和机票", "planning"),
        ("Which train did Rebecca take?", None),
        ("我喜欢喝手冲咖啡", None),
        ("an error", None),
        ("", None),
    ],
)
def test_infers_a_task_type_only_from_clear_words(text, task_type):
    assert infer_task_type(text) == task_type
