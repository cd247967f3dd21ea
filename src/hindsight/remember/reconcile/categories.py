"""Values of which a subject has one at a time: two of the same category exclude each other. Chinese and English in one table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping

from hindsight.text.stem import stem

_TABLE: dict[str, str] = {
    "database": "mysql postgresql postgres mariadb sqlite oracle mongodb mssql duckdb cockroachdb tidb clickhouse",
    "editor": "vscode vs_code neovim vim emacs sublime intellij pycharm zed cursor nano",
    "packages": "npm pnpm yarn bun pip uv poetry conda pipenv",
    "bundler": "webpack vite rollup parcel esbuild turbopack",
    "system": "windows linux macos mac ubuntu debian fedora arch 鸿蒙 苹果系统",
    "host": "aws azure gcp hetzner 阿里云 腾讯云 华为云 cloudflare digitalocean",
    "pipeline": "jenkins github_actions gitlab gitlab_ci circleci travis buildkite",
    "chat": "slack teams discord zulip mattermost 飞书 钉钉 企业微信 微信",
    "tracker": "jira linear trello asana 禅道 redmine",
    "container": "docker docker_desktop podman containerd orbstack",
    "deploy": "ansible terraform puppet chef helm",
    "browser": "chrome firefox safari edge brave",
    "keystore": "redis consul etcd zookeeper memcached",
    "queue": "rabbitmq kafka nats pulsar sqs",
    "frontend": "react vue angular svelte",
    "code": "java go rust python c++ c# ruby php kotlin scala swift elixir",
    "phone": "iphone pixel galaxy 小米 华为 oppo vivo 三星 荣耀",
    "laptop": "macbook thinkpad xps surface",
    "carmaker": "skoda tesla bmw audi toyota honda volvo ford 斯柯达 特斯拉 比亚迪 大众 丰田 宝马 奥迪",
    "fuel": "diesel electric petrol hybrid 柴油 电动 汽油 混动",
    "seat": "aisle window 靠过道 靠窗",
    "commute": "drive cycle walk bus train bike car subway 开车 骑车 走路 公交 地铁 坐公交 校车 打车 步行 骑行",
    "spoken": "english spanish french german chinese italian portuguese japanese korean dutch 英文 中文 英语 汉语 法语 德语 日语 韩语 西班牙语",
    "colour": "red green blue yellow orange white black brown blond grey gray purple pink navy 红色 绿色 蓝色 黄色 橙色 白色 黑色 棕色 金色 灰色 紫色 粉色 藏青色",
    "frequency": "daily weekly everymonth everyyear everyhour 每日 每周 每月 每年 每天",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "month": "january february march april may june july august september october november december",
    "marital": "single married divorced engaged widowed 单身 已婚 未婚 离异 离婚 结婚 订婚 丧偶",
    "hand": "left_handed right_handed 左撇子 右撇子 左利手 右利手",
    "shift": "night day early late 夜班 白班 早班 晚班 中班",
    "payment": "cash transfer card cheque paypal 现金 转账 刷卡 支付宝",
    "blood": "a b ab o",
    "zodiac": "属鼠 属牛 属虎 属兔 属龙 属蛇 属马 属羊 属猴 属鸡 属狗 属猪",
    "nationality": "danish swedish norwegian finnish german french italian spanish british english irish american canadian dutch polish russian turkish chinese japanese korean indian brazilian mexican 丹麦人 瑞典人 挪威人 德国人 法国人 英国人 美国人 日本人 韩国人 中国人 加拿大人 俄罗斯人",
    "province": "四川人 湖南人 湖北人 广东人 北京人 上海人 山东人 浙江人 江苏人 河南人 河北人 陕西人 福建人 东北人",
    "occupation": "nurse engineer doctor teacher lawyer programmer developer waiter baker chef designer accountant driver student manager scientist architect journalist carpenter electrician plumber pilot farmer painter cto cfo ceo treasurer 护士 程序员 工程师 医生 老师 教师 律师 服务员 厨师 设计师 会计 司机 学生 经理 记者 画师 技术总监 财务总监 总经理 农民",
    "subject": "law medicine physics history chemistry biology mathematics maths economics philosophy literature linguistics 法律 医学 物理 历史 化学 生物 数学 经济 哲学 文学 语言学",
    "school": "kindergarten primary secondary university college 幼儿园 小学 初中 高中 大学",
    "length": "short long brief detailed 短回答 长回答 简短 详细",
    "mode": "dark light 深色 浅色",
    "licence": "mit apache gpl bsd apache-2.0 lgpl mpl",
    "housing": "rent own buy bought 租房 买房",
    "season": "spring summer autumn winter 春天 夏天 秋天 冬天",
    "direction": "south north east west 朝南 朝北 朝东 朝西",
    "plan": "free paid trial",
    "country": "france germany italy spain",
    "storey": "ground first second third fourth fifth sixth seventh",
}
SEASON_MONTHS: Mapping[str, frozenset[str]] = {
    "summer": frozenset({"june", "july", "august", "6", "7", "8"}),
    "winter": frozenset({"december", "january", "february", "12", "1", "2"}),
    "spring": frozenset({"march", "april", "may", "3", "4", "5"}),
    "autumn": frozenset({"september", "october", "november", "9", "10", "11"}),
    "夏天": frozenset({"6月", "7月", "8月"}),
    "冬天": frozenset({"12月", "1月", "2月"}),
    "春天": frozenset({"3月", "4月", "5月"}),
    "秋天": frozenset({"9月", "10月", "11月"}),
}


def stemmed(word: str) -> str:
    """An English word as it stands in a frame; anything else unchanged."""
    return stem(word) if len(word) > 2 and re.fullmatch("[a-z]+", word) else word


_CATEGORIES: dict[str, frozenset[str]] = {}
for _category, _words in _TABLE.items():
    for _word in _words.split():
        _key = " ".join(map(stemmed, _word.split("_")))
        _CATEGORIES[_key] = _CATEGORIES.get(_key, frozenset()) | {_category}
_MANY_AT_ONCE = frozenset({"code", "frontend", "queue", "keystore", "deploy", "country", "host"})
"""Of these a subject may well have several; only a stated change makes one replace another."""


def categories_of(tokens: Iterable[str]) -> frozenset[str]:
    """Categories of the values among ``tokens``; two words that stand together ("vs code") count as one value too."""
    words = list(tokens)
    pairs = [f"{first} {second}" for first, second in itertools.pairwise(words)]
    return frozenset(category for word in (*words, *pairs) for category in _CATEGORIES.get(word, ()))


_MONTH_NUMBERS = {stemmed(word): number for number, word in enumerate(_TABLE["month"].split(), 1)} | {
    f"{number}月": number for number in range(1, 13)
}


def is_narrower(wide: Iterable[str], narrow: Iterable[str]) -> bool:
    """Whether ``narrow`` names a month of a season, or a day of a month, in ``wide``."""
    months = {stemmed(word) for word in narrow} | set(narrow)
    for word in wide:
        number = _MONTH_NUMBERS.get(word)
        if months & {stemmed(month) for month in SEASON_MONTHS.get(word, ())} or (
            number and any(day.startswith(f"{number}月") for day in narrow)
        ):
            return True
    return False


_TELLING = frozenset(
    "database editor packages bundler system pipeline chat tracker container browser marital housing occupation school phone laptop carmaker".split()
)
"""Categories whose values tell by themselves what is spoken of; "blue" or "weekly" do not."""


def telling(categories: frozenset[str]) -> bool:
    """Whether one of these categories tells by its values what is spoken of."""
    return bool(categories & _TELLING)


def without_values(tokens: Iterable[str], categories: frozenset[str]) -> frozenset[str]:
    """The tokens that are no values of these categories."""
    return frozenset(token for token in tokens if not _CATEGORIES.get(token, frozenset()) & categories)


def exclusive(categories: frozenset[str]) -> frozenset[str]:
    """Those categories of which a subject has one value at a time."""
    return categories - _MANY_AT_ONCE


def chinese_values() -> list[str]:
    """Every Chinese value, longest first: they are found inside unspaced text."""
    return sorted((word for word in _CATEGORIES if not word.isascii()), key=len, reverse=True)
