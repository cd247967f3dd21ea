"""The lab: a judged query as an evaluation case."""

from __future__ import annotations

import io
import re
import zipfile

from hindsight.evals.beir import read_beir


def form_of(web) -> str:
    return re.search(r'name="form" value="([^"]+)"', web.get("/review").text)[1]


def test_a_judged_query_becomes_a_folder_that_the_evaluation_reads(web, rest, tmp_path) -> None:
    good = str(rest.store("Backups run at 03:00 每晚", kind="fact").id)
    bad = str(rest.store("Backups of photos lie in the attic", kind="fact").id)
    page = web.get("/recall?query=when+do+backups+run").text
    assert f'name="verdict-{good}"' in page
    asked = {
        "form": form_of(web),
        "query": "when do backups run?",
        "ids": [good, bad],
        f"verdict-{good}": "relevant",
        f"verdict-{bad}": "not",
    }
    answer = web.post("/recall/case", data=asked)
    assert answer.headers["content-type"] == "application/zip"
    assert re.fullmatch(r'attachment; filename="case-[0-9a-f]{12}\.zip"', answer.headers["content-disposition"])
    zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path / "case")
    folder = read_beir(tmp_path / "case")
    assert [(query.text, query.relevant) for query in folder.queries] == [("when do backups run?", frozenset({good}))]
    assert {document["key"]: document["content"] for document in folder.documents}[good] == "Backups run at 03:00 每晚"
    assert f"{bad}\t0" in (tmp_path / "case/qrels/test.tsv").read_text()


def test_a_case_without_an_answer_is_refused(web, rest) -> None:
    kept = str(rest.store("Backups run at 03:00", kind="fact").id)
    form = form_of(web)
    for asked in ({"query": "x", "ids": kept}, {"query": "", "ids": kept, f"verdict-{kept}": "relevant"}, {"query": "x", "ids": "zzz"}):
        assert web.post("/recall/case", data={"form": form, **asked}).status_code == 422
