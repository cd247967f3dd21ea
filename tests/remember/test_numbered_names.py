"""A number that names a thing tells two things apart; a number that is a value replaces the one before it."""

from __future__ import annotations

import pytest

from hindsight.remember.reconcile.relate import relate_statements
from hindsight.remember.reconcile.relation import MERGING, SUPERSEDING

APART = [
    ("Ticket 1001 is assigned to Bo.", "Ticket 1002 is assigned to Bo."),
    ("Ticket #12 is assigned to Bo.", "Ticket #13 is assigned to Bo."),
    ("#12 is open.", "#13 is open."),
    ("Bo handles ticket 1001.", "Bo handles ticket 1002."),
    ("Bo is assigned to ticket 1001.", "Bo is assigned to ticket 1002."),
    ("Bo closed ticket 1001.", "Bo closed ticket 1002."),
    ("Server 1 runs Ubuntu.", "Server 2 runs Ubuntu."),
    ("Server 1 is in Berlin.", "Server 2 is in Berlin."),
    ("Server 1 runs Ubuntu.", "Server 2 now runs Debian."),
    ("Bo owns server 1.", "Bo owns server 2."),
    ("Server web-1 is down.", "Server web-2 is down."),
    ("Room 301 has a projector.", "Room 302 has a projector."),
    ("Room 301 is booked for Monday.", "Room 302 is booked for Monday."),
    ("I ordered flowers for room 3.", "I ordered flowers for room 5."),
    ("Order 1001 has shipped.", "Order 1002 has shipped."),
    ("Order no. 1001 is late.", "Order no. 1002 is late."),
    ("Python 3.11 is supported.", "Python 3.12 is supported."),
    ("The library supports Python 3.11.", "The library supports Python 3.12."),
    ("The tests pass on Python 3.11.", "The tests pass on Python 3.12."),
    ("HTTP 404 means that the page is missing.", "HTTP 410 means that the page is missing."),
    ("HTTP 404 indicates a missing page.", "HTTP 410 indicates a missing page."),
    ("Port 5432 is open.", "Port 5433 is open."),
    ("Gate 5 opens at noon.", "Gate 6 opens at noon."),
    ("Gate 5 is closed.", "Gate 6 is closed."),
    ("Step 1 takes five minutes.", "Step 2 takes five minutes."),
    ("Step 1: install the package.", "Step 2: install the package."),
    ("Bug 12 is open.", "Bug 13 is open."),
    ("Chapter 3 is about birds.", "Chapter 4 is about birds."),
    ("Version 3 is stable.", "Version 4 is stable."),
    ("The bus 5 driver is Bo.", "The bus 6 driver is Bo."),
    ("The budget for 2025 is 5,000 euros.", "The budget for 2026 is 6,000 euros."),
    ("In 2024 the revenue was 5 million.", "In 2025 the revenue was 5 million."),
    ("The meeting on 3 May is in Berlin.", "The meeting on 4 May is in Berlin."),
    ("12 Main Street is for sale.", "14 Main Street is for sale."),
    ("1001 is assigned to Bo.", "1002 is assigned to Bo."),
    ("Paid 20 euros for lunch.", "Paid 15 euros for lunch."),
    ("I paid 20 euros.", "I paid 15 euros."),
    ("Paid invoice 77 for 20 euros.", "Paid invoice 78 for 20 euros."),
    ("I bought 3 books.", "I bought 5 books."),
    ("Bo donated 20 euros.", "Bo donated 50 euros."),
    ("I ran 5 km.", "I ran 8 km."),
    ("The user was paid 200 euros.", "The user was paid 300 euros."),
    ("pinned constraint number 1 for the release", "pinned constraint number 2 for the release"),
    ("订单1001已发货。", "订单1002已发货。"),
    ("订单 1001 归小王处理。", "订单 1002 归小王处理。"),
    ("订单号 1001 已取消。", "订单号 1002 已取消。"),
    ("第三章讲的是鸟类。", "第四章讲的是鸟类。"),
    ("第 3 章很长。", "第 4 章很长。"),
    ("给房间3订了花。", "给房间5订了花。"),
    ("房间301有投影仪。", "房间302有投影仪。"),
    ("301教室有投影仪。", "302教室有投影仪。"),
    ("301 会议室在装修。", "302 会议室在装修。"),
    ("服务器1在北京。", "服务器2在北京。"),
    ("1号服务器在北京。", "2号服务器在北京。"),
    ("三号楼没有电梯。", "四号楼没有电梯。"),
    ("工单12由小李负责。", "工单13由小李负责。"),
    ("小李负责工单12。", "小李负责工单13。"),
    ("小李在处理工单12。", "小李在处理工单13。"),
    ("端口5432是开放的。", "端口5433是开放的。"),
    ("端口 5432 已开放。", "端口 5433 已开放。"),
    ("Python 3.11 已支持。", "Python 3.12 已支持。"),
    ("这个库支持 Python 3.11。", "这个库支持 Python 3.12。"),
    ("HTTP 404 表示页面不存在。", "HTTP 410 表示页面不存在。"),
    ("登机口5在二楼。", "登机口6在二楼。"),
    ("步骤1需要五分钟。", "步骤2需要五分钟。"),
    ("第一步是安装依赖。", "第二步是安装依赖。"),
    ("地铁3号线很挤。", "地铁4号线很挤。"),
    ("5路车到公司。", "6路车到公司。"),
    ("三年级有两个班。", "四年级有两个班。"),
    ("合同 2024-01 归法务管。", "合同 2024-02 归法务管。"),
    ("公司2024年的预算是八千。", "公司2025年的预算是八千。"),
    ("2024年的预算是八千。", "2025年的预算是九千。"),
    ("图书馆三楼有咖啡。", "图书馆四楼有咖啡。"),
    ("午饭付了20欧元。", "午饭付了15欧元。"),
    ("我付了二十块。", "我付了十五块。"),
    ("付了发票77的20欧元。", "付了发票78的20欧元。"),
    ("我买了三本书。", "我买了五本书。"),
    ("今天跑了5公里。", "今天跑了8公里。"),
    ("小王捐了一百块。", "小王捐了两百块。"),
    ("缺陷12还没修。", "缺陷13还没修。"),
    ("固定约束 1：不要动生产库。", "固定约束 2：不要动生产库。"),
]
REPLACED = [
    ("The port is 8080.", "The port is 9090."),
    ("The server listens on port 80.", "The server listens on port 8080."),
    ("The meeting is at 3pm.", "The meeting is at 4pm."),
    ("The meeting is in room 301.", "The meeting is in room 302."),
    ("Bo lives in room 301.", "Bo lives in room 302."),
    ("Room 301 costs 20 euros.", "Room 301 costs 25 euros."),
    ("Ticket 1001 has 3 open questions.", "Ticket 1001 has 5 open questions."),
    ("Server 1 is at 10.0.0.4.", "Server 1 is at 10.0.0.7."),
    ("The project uses Python 3.11.", "The project uses Python 3.12."),
    ("The server runs Python 3.9.", "The server runs Python 3.11."),
    ("The budget is 8,000 euros.", "The budget is 10,000 euros."),
    ("Budget: 8000", "Budget: 10000"),
    ("The deadline is 3 May.", "The deadline is 4 May."),
    ("Two approvals are needed for a merge.", "Three approvals are needed for a merge."),
    ("The plan requires 5 seats.", "The plan requires 8 seats."),
    ("The boiler was installed in 2009.", "The boiler was installed in 2014."),
    ("The user's phone is a Pixel 6.", "The user's phone is now a Pixel 9."),
    ("The ticket number is 1001.", "The ticket number is 1002."),
    ("The rent of room 5 is 400 euros.", "The rent of room 5 is 450 euros."),
    ("Tom is 34 years old.", "Tom is 35 years old."),
    ("预算是八千。", "预算是一万。"),
    ("端口是 8080。", "端口是 9090。"),
    ("服务器监听 80 端口。", "服务器监听 8080 端口。"),
    ("会议在下午三点。", "会议在下午四点。"),
    ("会议在301教室。", "会议在302教室。"),
    ("房间301的租金是四百。", "房间301的租金是五百。"),
    ("订单1001的价格是20元。", "订单1001的价格是30元。"),
    ("服务器1的地址是 10.0.0.4。", "服务器1的地址是 10.0.0.7。"),
    ("服务器跑的是 Python 3.9。", "服务器跑的是 Python 3.11。"),
    ("截止日期是五月三号。", "截止日期是五月四号。"),
    ("团队有五个人。", "团队有八个人。"),
    ("房租九百。", "房租涨到九百八了。"),
    ("应用是第 3 版。", "应用升级到第 4 版了。"),
    ("办公室在四楼。", "办公室在二楼。"),
    ("第三章有二十页。", "第三章有三十页。"),
    ("玛塔请假到十二号。", "玛塔请假到十九号。"),
    ("用户六点起床。", "用户八点起床。"),
    ("重试次数是 3。", "重试次数是 5。"),
]


def chinese(pair):
    return not pair[0].isascii()


def test_both_languages_are_covered():
    for wanted, pairs in ((30, APART), (15, REPLACED)):
        assert sum(map(chinese, pairs)) >= wanted
        assert len(pairs) - sum(map(chinese, pairs)) >= wanted


@pytest.mark.parametrize(("old", "new"), APART)
def test_a_number_that_names_or_counts_what_happened_retires_nothing(old, new):
    assert relate_statements(old, new) not in SUPERSEDING | MERGING
    assert relate_statements(new, old) not in SUPERSEDING | MERGING


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_a_number_that_is_the_value_replaces_the_one_before(old, new):
    assert relate_statements(old, new) in SUPERSEDING
