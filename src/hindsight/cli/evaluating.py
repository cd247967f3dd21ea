"""``hindsight eval``: measure the memory on data with known answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.cli.output import console, say, table, write_json
from hindsight.cli.progress import Bar

if TYPE_CHECKING:
    from hindsight.evals.retrieval import RetrievalReport


def retrieval(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="BEIR folder: corpus.jsonl[.gz], queries.jsonl, qrels/test.tsv.")],
    *,
    k: Annotated[
        list[int] | None, typer.Option("--k", help="Cut-off of recall beside 5, 10 and 20; may be repeated.", min=1, max=1000)
    ] = None,
    embedder: Annotated[
        list[str] | None, typer.Option("--embedder", help="Embedder (with `:model`); several are compared with the first.")
    ] = None,
    scopes: Annotated[int | None, typer.Option("--scopes", help="Only the first so many scopes.", min=1)] = None,
    keep: Annotated[Path | None, typer.Option("--keep", help="Folder in which filled stores are kept for the next run.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A setting as NAME=VALUE, such as fusion=rrf; may be repeated.")] = None,
) -> None:
    """Store a folder's documents, ask its questions, and measure recall, rank and latency."""
    from hindsight.evals.retrieval import KS, compare_embedders, evaluate_retrieval

    invocation: Invocation = context.obj
    settings = dict(_setting(each) for each in set_ or ())
    log_for_commands(invocation.settings(**settings))
    with Bar("done", starting="reading") as bar:
        arguments: dict[str, Any] = {
            "ks": sorted({*KS, *(k or ())}),
            "scopes": scopes,
            "store": keep,
            "progress": lambda stage, done, total: bar.show(done, total, stage),
            **settings,
        }
        if embedder and len(embedder) > 1:
            comparison = asyncio.run(compare_embedders(folder, embedder, **arguments))
            runs, told = list(comparison.runs), comparison.as_dict()
        else:
            report = asyncio.run(evaluate_retrieval(folder, embedder=embedder[0] if embedder else None, **arguments))
            runs, told = [report], report.as_dict()
    if invocation.json:
        write_json(told)
        return
    _show(runs)


def _setting(given: str) -> tuple[str, str]:
    from hindsight.errors import InvalidInput

    name, equals, value = given.partition("=")
    if not equals or not name:
        raise InvalidInput(f"--set: {given!r} is not NAME=VALUE.")
    return name, value


def _show(runs: list[RetrievalReport]) -> None:
    first = runs[0]
    say(f"{first.folder}: {first.documents:,} documents in {first.scopes} scopes, {len(first.categories)} questions")
    reports = [run.as_dict() for run in runs]
    rows = [[measure, *(f"{100 * report[measure]:.1f}" for report in reports)] for measure in first.per_query]
    rows += [[name, *(f"{report[name]:.1f}" for report in reports)] for name in ("p50_ms", "p95_ms")]
    console().print(table(("%", *(str(run.embedder or "keyword only") for run in runs)), rows))
    by_category = reports[0]["by_category"]
    if len(by_category) > 1:
        measures = list(first.per_query)
        console().print(
            table(
                ("category", "n", *measures),
                [
                    [name, str(values["n"]), *(f"{100 * values[measure]:.1f}" for measure in measures)]
                    for name, values in by_category.items()
                ],
            )
        )
    for name, values in reports[0].get("unanswerable", {}).items():
        say(f"{name}: {values['n']} questions that nothing answers, {100 * values['answered']:.1f} % of them answered at default settings")


def guard(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder with attacks.jsonl and benign.jsonl.")],
    *,
    layers: Annotated[bool, typer.Option("--layers/--no-layers", help="Also measure with each layer switched off.")] = True,
    returned: Annotated[
        bool,
        typer.Option("--returned/--no-returned", help="Also ask for the attacks that became active, alone and among 1,000 honest records."),
    ] = True,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A setting as NAME=VALUE, such as guard=strict; may be repeated.")] = None,
) -> None:
    """Store attacks and honest texts by every channel, and measure what becomes active and what is held back."""
    from hindsight.evals.guard import run_guard_eval

    invocation: Invocation = context.obj
    settings = dict(_setting(each) for each in set_ or ())
    log_for_commands(invocation.settings(**settings))
    with Bar("done", starting="reading") as bar:
        report = asyncio.run(
            run_guard_eval(
                folder, layers=layers, retrieval=returned, progress=lambda stage, done, total: bar.show(done, total, stage), **settings
            )
        ).as_dict()
    if invocation.json:
        write_json(report)
        return
    say(f"{report['set']}, guard {report['guard']}")
    rows = [
        [
            name,
            str(report["n"][size]),
            f"{100 * report[name]:.2f}",
            " – ".join(f"{100 * end:.2f}" for end in report["intervals"][name] or ()),
        ]
        for name, size in (
            ("attack_active_rate", "attacks"),
            ("attack_active_rate_other", "attacks_other"),
            ("benign_block_rate", "benign"),
        )
    ]
    console().print(table(("%", "n", "rate", "95 %"), rows))


def tasks(
    context: typer.Context,
    *,
    tasks_: Annotated[
        Path | None, typer.Option("--tasks", help="Folder with tasks of your own (*.jsonl); default: the bundled fifty.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Also write the report as a page.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of a task, and do nothing else.")] = False,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A setting as NAME=VALUE, such as embedder=none; may be repeated.")
    ] = None,
) -> None:
    """Does memory change what an agent does? A scripted agent plays tasks with memory, vectors alone, the whole history, and nothing."""
    from hindsight.evals.tasks import reading
    from hindsight.evals.tasks.play import play
    from hindsight.evals.tasks.report import NAMES, html_report, summary

    invocation: Invocation = context.obj
    if schema:
        write_json(reading.schema())
        return
    settings = dict(_setting(each) for each in set_ or ())
    log_for_commands(invocation.settings(**settings))
    chosen = reading.read_tasks(tasks_) if tasks_ is not None else reading.bundled_tasks()
    with Bar("played", starting="reading") as bar:
        played = asyncio.run(play(chosen, settings=settings, progress=lambda done, total: bar.show(done, total, "tasks")))
    report = summary(played, settings)
    if html is not None:
        html.write_text(html_report(report), encoding="utf-8")
    if invocation.json:
        write_json(report)
        return
    rows = [
        [
            NAMES[row],
            f"{100 * values['recall_accuracy']:.0f} %",
            f"{100 * values['application_accuracy']:.0f} %",
            f"{values['tokens_a_task']:.0f}",
            f"{100 * values['token_saving']:.0f} %",
        ]
        for row, values in report["rows"].items()
    ]
    console().print(table((f"{report['tasks']} tasks", "recall", "application", "tokens a task", "saving"), rows))
    columns = list(report["rows"])
    rows = [[name, *(f"{100 * values[row]:.0f} %" for row in columns)] for name, values in report["by_ability"].items()]
    console().print(table(("application by ability", *(NAMES[row] for row in columns)), rows))


def qa(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="BEIR folder whose queries have a metadata.answer.")],
    *,
    results: Annotated[Path, typer.Option("--results", help="File that keeps each judged answer; the same file goes on where it stopped.")],
    judge_model: Annotated[str, typer.Option("--judge-model", help="Model that judges; default: the one that answers.")] = "",
    k: Annotated[int, typer.Option("--k", help="Memories in the prompt.", min=1, max=100)] = 10,
    questions: Annotated[int | None, typer.Option("--questions", help="Only the first so many questions.", min=1)] = None,
    scopes: Annotated[int | None, typer.Option("--scopes", help="Only the first so many scopes.", min=1)] = None,
    keep: Annotated[Path | None, typer.Option("--keep", help="Folder in which filled stores are kept for the next run.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A setting as NAME=VALUE; may be repeated.")] = None,
) -> None:
    """Let a language model answer a folder's questions from memory, and judge the answers."""
    from hindsight.assemble import chat_of
    from hindsight.evals.answering import evaluate_answers, needed

    invocation: Invocation = context.obj
    settings = dict(_setting(each) for each in set_ or ())
    loaded = invocation.settings(**settings)
    log_for_commands(loaded)
    answerer = needed(chat_of(loaded))
    judge = needed(chat_of(loaded.model_copy(update={"chat_model": judge_model}))) if judge_model else answerer

    async def run(bar: Bar) -> dict[str, Any]:
        try:
            return await evaluate_answers(
                folder,
                answerer=answerer,
                judge=judge,
                results=results,
                k=k,
                questions=questions,
                scopes=scopes,
                store=keep,
                progress=lambda stage, done, total: bar.show(done, total, stage),
                **settings,
            )
        finally:
            await answerer.close()
            if judge is not answerer:
                await judge.close()

    with Bar("done", starting="reading") as bar:
        report = asyncio.run(run(bar))
    if invocation.json:
        write_json(report)
        return
    rows = [("all", str(report["judged"]), _share(report["accuracy"]))]
    rows += [(name, str(values["n"]), _share(values["accuracy"])) for name, values in report["by_category"].items()]
    console().print(table((f"{report['set']}: {report['answerer']}, judged by {report['judge']}", "n", "accuracy"), rows))
    say(
        f"{report['input_tokens']:.0f} tokens in, {report['output_tokens']:.0f} out a question; {report['n'] - report['judged']} without a verdict"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


COMMANDS = {"retrieval": retrieval, "guard": guard, "tasks": tasks, "qa": qa}
