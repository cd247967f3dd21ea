"""English time expressions, read from Wednesday 15 May 2024, 10:30."""

from datetime import datetime

import pytest

from hindsight.text.times import find_anchored, find_times

NOW = datetime(2024, 5, 15, 10, 30)

# text, beginning, end (exclusive), precision
CASES = [
    ("I saw her yesterday.", "2024-05-14", "2024-05-15", "day"),
    ("today's plan", "2024-05-15", "2024-05-16", "day"),
    ("the day before yesterday", "2024-05-13", "2024-05-14", "day"),
    ("the day after tomorrow we leave", "2024-05-17", "2024-05-18", "day"),
    ("yesterday morning", "2024-05-14T05", "2024-05-14T12", "day"),
    ("yesterday at 3pm", "2024-05-14T15", "2024-05-14T16", "hour"),
    ("tomorrow at 9:45 am", "2024-05-16T09:45", "2024-05-16T09:46", "minute"),
    ("this morning", "2024-05-15T05", "2024-05-15T12", "day"),
    ("last night", "2024-05-14T18", "2024-05-15T06", "day"),
    ("tonight", "2024-05-15T17", "2024-05-16T00", "day"),
    ("3 days ago", "2024-05-12", "2024-05-13", "day"),
    ("about ten days ago", "2024-05-05", "2024-05-06", "day"),
    ("two weeks ago", "2024-04-28", "2024-05-05", "week"),
    ("a fortnight ago", "2024-04-28", "2024-05-05", "week"),
    ("a couple of days ago", "2024-05-12", "2024-05-14", "week"),
    ("a few weeks ago", "2024-04-07", "2024-05-05", "month"),
    ("four months ago", "2024-01-01", "2024-02-01", "month"),
    ("4 years ago", "2020-01-01", "2021-01-01", "year"),
    ("half a year ago", "2023-11-01", "2023-12-01", "month"),
    ("a year and a half ago", "2022-11-01", "2022-12-01", "month"),
    ("two weekends ago", "2024-05-04", "2024-05-06", "week"),
    ("5 hours ago", "2024-05-15T05", "2024-05-15T06", "hour"),
    ("20 minutes ago", "2024-05-15T10:10", "2024-05-15T10:11", "minute"),
    ("two weeks from now", "2024-05-26", "2024-06-02", "week"),
    ("We will meet in three days.", "2024-05-18", "2024-05-19", "day"),
    ("over the past month", "2024-04-15", "2024-05-16", "month"),
    ("in the last 3 days", "2024-05-12", "2024-05-16", "week"),
    ("in the past two months", "2024-03-15", "2024-05-16", "season"),
    ("during the last few weeks", "2024-04-10", "2024-05-16", "season"),
    ("the last 24 hours", "2024-05-14T10:30", "2024-05-15T10:31", "week"),
    ("last week", "2024-05-06", "2024-05-13", "week"),
    ("this week", "2024-05-13", "2024-05-20", "week"),
    ("next week", "2024-05-20", "2024-05-27", "week"),
    ("the week before last", "2024-04-29", "2024-05-06", "week"),
    ("the weekend before last", "2024-05-04", "2024-05-06", "week"),
    ("last weekend", "2024-05-11", "2024-05-13", "week"),
    ("over the weekend", "2024-05-11", "2024-05-13", "week"),
    ("last month", "2024-04-01", "2024-05-01", "month"),
    ("the month before last", "2024-03-01", "2024-04-01", "month"),
    ("last quarter", "2024-01-01", "2024-04-01", "season"),
    ("last year", "2023-01-01", "2024-01-01", "year"),
    ("late last year", "2023-09-01", "2024-01-01", "year"),
    ("the end of last month", "2024-04-21", "2024-05-01", "month"),
    ("early this year", "2024-01-01", "2024-05-01", "year"),
    ("earlier this week", "2024-05-13", "2024-05-15T10:31", "week"),
    ("at the beginning of the month", "2024-05-01", "2024-05-11", "month"),
    ("last Friday", "2024-05-10", "2024-05-11", "day"),
    ("last Monday", "2024-05-13", "2024-05-14", "day"),
    ("this Friday", "2024-05-17", "2024-05-18", "day"),
    ("next Tuesday", "2024-05-21", "2024-05-22", "day"),
    ("What did we say on Monday?", "2024-05-13", "2024-05-14", "day"),
    ("I went there on Friday", "2024-05-10", "2024-05-11", "day"),
    ("We're going to the beach on Friday", "2024-05-17", "2024-05-18", "day"),
    ("on Friday evening", "2024-05-10T17", "2024-05-11T00", "day"),
    ("last March", "2024-03-01", "2024-04-01", "month"),
    ("last May", "2023-05-01", "2023-06-01", "month"),
    ("next May", "2025-05-01", "2025-06-01", "month"),
    ("last summer", "2023-06-01", "2023-09-01", "season"),
    ("this summer", "2024-06-01", "2024-09-01", "season"),
    ("last Christmas", "2023-12-25", "2023-12-26", "day"),
    ("in May 2023", "2023-05-01", "2023-06-01", "month"),
    ("in may 2023", "2023-05-01", "2023-06-01", "month"),
    ("in March", "2024-03-01", "2024-04-01", "month"),
    ("in August", "2023-08-01", "2023-09-01", "month"),
    ("I'm planning to travel in August", "2024-08-01", "2024-09-01", "month"),
    ("in the month of February", "2024-02-01", "2024-03-01", "month"),
    ("in early May 2023", "2023-05-01", "2023-05-11", "month"),
    ("mid-September 2023", "2023-09-11", "2023-09-21", "month"),
    ("the end of June 2023", "2023-06-21", "2023-07-01", "month"),
    ("the first half of October 2021", "2021-10-01", "2021-10-16", "month"),
    ("the last week of June 2022", "2022-06-24", "2022-07-01", "week"),
    ("in the third week of October", "2023-10-15", "2023-10-22", "week"),
    ("the first weekend of July 2023", "2023-07-01", "2023-07-03", "week"),
    ("the third Thursday of April", "2024-04-18", "2024-04-19", "day"),
    ("August last year", "2023-08-01", "2023-09-01", "month"),
    ("7 May 2023", "2023-05-07", "2023-05-08", "day"),
    ("May 7th, 2023", "2023-05-07", "2023-05-08", "day"),
    ("the 7th of May", "2024-05-07", "2024-05-08", "day"),
    ("on May 20", "2023-05-20", "2023-05-21", "day"),
    ("14July, 2021", "2021-07-14", "2021-07-15", "day"),
    ("on 17 June, 2021", "2021-06-17", "2021-06-18", "day"),
    ("Sunday, 7 May 2023", "2023-05-07", "2023-05-08", "day"),
    ("May 3-5, 2023", "2023-05-03", "2023-05-06", "week"),
    ("from 3 May to 5 June 2023", "2023-05-03", "2023-06-06", "season"),
    ("between March and June 2023", "2023-03-01", "2023-07-01", "year"),
    ("2023-05-07", "2023-05-07", "2023-05-08", "day"),
    ("2023-05-07T18:25:00", "2023-05-07T18:25", "2023-05-07T18:26", "minute"),
    ("2023/5/7", "2023-05-07", "2023-05-08", "day"),
    ("2023-05", "2023-05-01", "2023-06-01", "month"),
    ("on 5/7/2023", "2023-05-07", "2023-05-08", "day"),
    ("on 25/7/23", "2023-07-25", "2023-07-26", "day"),
    ("on the evening of 2 July, 2022", "2022-07-02T17", "2022-07-03T00", "day"),
    ("8:15 pm on 7 July 2023", "2023-07-07T20:15", "2023-07-07T20:16", "minute"),
    ("the week of May 6", "2024-05-06", "2024-05-13", "week"),
    ("in 2022", "2022-01-01", "2023-01-01", "year"),
    ("mid-2022", "2022-05-01", "2022-09-01", "year"),
    ("from 2019 to 2021", "2019-01-01", "2022-01-01", "decade"),
    ("in the 1990s", "1990-01-01", "2000-01-01", "decade"),
    ("in the '80s", "1980-01-01", "1990-01-01", "decade"),
    ("summer 2022", "2022-06-01", "2022-09-01", "season"),
    ("the winter of 2022", "2022-12-01", "2023-03-01", "season"),
    ("during the summer", "2023-06-01", "2023-09-01", "season"),
    ("Q1", "2024-01-01", "2024-04-01", "season"),
    ("Q3 2023", "2023-07-01", "2023-10-01", "season"),
    ("the first quarter of 2023", "2023-01-01", "2023-04-01", "season"),
    ("2023 H2", "2023-07-01", "2024-01-01", "year"),
    ("since January 2024", "2024-01-01", "2024-05-16", "month"),
    ("since last Friday", "2024-05-10", "2024-05-16", "day"),
    ("the week before 23 November 2021", "2021-11-16", "2021-11-23", "week"),
    ("the Saturday before 18 May 2022", "2022-05-14", "2022-05-15", "day"),
    ("two days after Christmas", "2023-12-27", "2023-12-28", "day"),
    ("the day before yesterday afternoon", "2024-05-13T12", "2024-05-13T18", "day"),
    ("the weekend before April 20, 2023", "2023-04-15", "2023-04-17", "week"),
    ("last week, as she told on 7 November, 2022", "2022-10-31", "2022-11-07", "week"),
    ("last Tuesday, as said on 9 March, 2023", "2023-03-07", "2023-03-08", "day"),
    ("Thanksgiving 2023", "2023-11-23", "2023-11-24", "day"),
    ("at Easter", "2024-03-31", "2024-04-01", "day"),
    ("on Maundy Thursday", "2024-03-28", "2024-03-29", "day"),
    ("Chinese New Year", "2024-02-09", "2024-02-17", "month"),
    ("on the 3rd", "2024-05-03", "2024-05-04", "day"),
    ("the other day", "2024-05-08", "2024-05-15", "week"),
]


@pytest.mark.parametrize(("text", "start", "end", "precision"), CASES, ids=[case[0] for case in CASES])
def test_resolves(text, start, end, precision):
    found = find_times(text, NOW)
    assert [(each.start, each.end, each.precision) for each in found] == [
        (datetime.fromisoformat(start), datetime.fromisoformat(end), precision)
    ]


NOT_TIMES = [
    "You may march on.",
    "I may do it in 5 steps and 2000 words",
    "Does anyone like the new version 3.11.2?",
    "There were 2019 people",
    "ISBN 978-2-12-345680-3",
    "It was half past knowing",
    "",
    "   ",
]


@pytest.mark.parametrize("text", NOT_TIMES)
def test_finds_nothing_where_no_time_is_named(text):
    assert find_times(text, NOW) == []


def test_of_an_impossible_date_its_month_is_left():
    assert [each.text for each in find_times("on 30 February 2023 or 2023-02-30", NOW)] == ["February 2023"]


def test_times_outside_the_calendar_are_passed_over():
    assert find_times("9999 years ago", NOW) == []


def test_29_february_without_a_year_is_the_last_leap_years():
    assert find_times("on 29 February", datetime(2023, 5, 1))[0].start == datetime(2020, 2, 29)


def test_a_year_keeps_its_precision():
    (found,) = find_times("We moved in 2019.", NOW)
    assert (found.precision, found.start, found.end) == ("year", datetime(2019, 1, 1), datetime(2020, 1, 1))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("in May 2023", "absolute"),
        ("on 7 May", "absolute"),
        ("last week", "relative"),
        ("August last year", "relative"),
        ("every Monday", "recurring"),
        ("on Tuesdays", "recurring"),
        ("each morning", "recurring"),
    ],
)
def test_kind(text, kind):
    assert [each.kind for each in find_times(text, NOW)] == [kind]


def test_recurring_gives_the_latest_occurrence():
    (found,) = find_times("I swim every Friday", NOW)
    assert (found.start, found.end) == (datetime(2024, 5, 10), datetime(2024, 5, 11))


@pytest.mark.parametrize(
    ("text", "anchor", "start", "end"),
    [
        ("What did Ann do the week before the trip?", "the trip", "2024-03-03", "2024-03-10"),
        ("two days before my birthday", "my birthday", "2024-03-08", "2024-03-09"),
        ("the day after the wedding", "the wedding", "2024-03-12", "2024-03-13"),
        ("the month after her graduation", "her graduation", "2024-04-01", "2024-05-01"),
        ("the weekend before the exam", "the exam", "2024-03-02", "2024-03-04"),
        ("the Friday after the launch", "the launch", "2024-03-15", "2024-03-16"),
        ("in the first three days after surgery", "surgery", "2024-03-12", "2024-03-15"),
    ],
)
def test_distance_from_an_event_is_anchored(text, anchor, start, end):
    assert find_times(text, NOW) == []
    (found,) = find_anchored(text, NOW)
    assert (found.anchor, found.kind) == (anchor, "anchored")
    resolved = found.resolve(datetime(2024, 3, 10), datetime(2024, 3, 12))
    assert (resolved.start, resolved.end) == (datetime.fromisoformat(start), datetime.fromisoformat(end))


def test_an_events_name_ends_where_its_own_time_begins():
    text = "the week before the trip in May 2023"
    (anchored,) = find_anchored(text, NOW)
    assert anchored.anchor == "the trip"
    assert [each.text for each in find_times(text, NOW)] == ["May 2023"]


def test_a_weekday_beside_a_date_decides_its_year():
    (found,) = find_times("Your visit is on Friday, 17 May.", NOW)
    assert found.start == datetime(2024, 5, 17)


def test_questions_are_put_to_the_past():
    (found,) = find_times("Which tickets did Ann book in August?", NOW)
    assert found.start == datetime(2023, 8, 1)
