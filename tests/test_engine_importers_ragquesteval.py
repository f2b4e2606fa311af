"""Published question sets come in with their faults counted, and judges ask what they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import scripted_server as scripted
from asked_judges import AskedJudges, item
from endpoint_workspaces import make_workspace, write_settings
from scripted_server import Reply, Request

from engine.importers.ragquesteval import Defects, import_question_sets
from engine.judge.registry import find_judge
from engine.text.normalisation import document_id
from store.datasets import question_sets
from store.errors import InputError
from store.formats.crud_rag import read_question_sets
from store.lifecycle import archiving, purging
from store.records import ScoreState
from store.verify import verify
from store.workspace import open_workspace
from tui.cli import main

DATA = Path(__file__).parents[2] / "shared" / "data"
GOLDEN = {"q0": "央行加息至3.5%。", "q1": "基金上涨。", "qa_1doc/q2": "保费下降。", "q3": " "}
FILE = "QuestAnswer1Doc_quest_gt_save.json"
SETS = {
    "q0": {
        "key_info": ["央行", "3.5%"],
        "question": ["谁加息？", "加息至多少？"],
        "answers": ["央行", "3.5%"],
    },
    "q1": {"key_info": [], "question": ["谁？", "何时？"], "answers": ["无法推断"]},
    "q2": {},
    "q3": {"key_info": [], "question": ["谁？"], "answers": ["基金"]},
    "q9": {"key_info": [], "question": ["谁？"], "answers": ["基金"]},
}


def write(folder: Path, sets: object = SETS, name: str = FILE) -> Path:
    file = folder / name
    file.write_text(json.dumps(sets, ensure_ascii=False), "utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = {key: item(f"{key}？", (text,)) for key, text in GOLDEN.items()}
    return make_workspace(tmp_path / "w", items)


def test_sets_come_in_as_published_and_their_faults_are_counted(
    folder: Path, tmp_path: Path
) -> None:
    with open_workspace(folder) as workspace:
        made = import_question_sets(workspace, [write(tmp_path)], dataset="gold", name="crud")
        assert (made.release, made.sets, made.elsewhere, made.without_golden) == ("gold@1", 3, 1, 1)
        assert made.defects == Defects(
            entries=5, questions=6, empty=1, unequal=1, unanswerable=1, unusable=1
        )
        held = question_sets.of_name(workspace.db, "crud")
        assert held[document_id(GOLDEN["q0"])].questions == ("谁加息？", "加息至多少？")
        assert held[document_id(GOLDEN["qa_1doc/q2"])].questions == ()
        before = question_sets.hash_of(workspace.db, "crud")
        import_question_sets(workspace, [write(tmp_path)], dataset="gold", name="crud")
        assert question_sets.hash_of(workspace.db, "crud") == before
        assert verify(workspace.db).ok


def test_sets_go_with_the_dataset_that_they_are_of(folder: Path, tmp_path: Path) -> None:
    with open_workspace(folder) as workspace:
        import_question_sets(workspace, [write(tmp_path)], dataset="gold", name="crud")
        removal = purging.purge(workspace, archiving.find(workspace.db, "dataset", "gold"))
        assert removal.counts["question sets"] == 3
        assert question_sets.names(workspace.db) == []


@pytest.mark.parametrize(
    ("sets", "name", "word"),
    [
        ({"q9": {}}, FILE, "No entry belongs to an item of gold@1"),
        ({}, FILE, "no entry in the files"),
        ([1], FILE, "Expected `object`"),
        ({"q0": {"question": "谁？"}}, FILE, r"Expected `array`.*question"),
    ],
)
def test_what_cannot_come_in_is_refused_whole(
    folder: Path, tmp_path: Path, sets: object, name: str, word: str
) -> None:
    with open_workspace(folder) as workspace:
        with pytest.raises(InputError, match=word):
            import_question_sets(
                workspace, [write(tmp_path, sets, name)], dataset="gold", name="crud"
            )
        assert question_sets.names(workspace.db) == []


def test_a_second_set_of_an_item_is_refused(folder: Path, tmp_path: Path) -> None:
    files = [write(tmp_path), write(tmp_path, {"q0": SETS["q0"]}, "HalluModified_x.json")]
    with (
        open_workspace(folder) as workspace,
        pytest.raises(InputError, match=r"HalluModified_x.json, id q0: item 'q0' has a set"),
    ):
        import_question_sets(workspace, files, dataset="gold", name="crud")


def test_the_command_says_what_came_in_and_what_is_wrong(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["import", "question-sets", str(write(tmp_path)), "--dataset", "gold"]
    assert main([*argv, "--workspace", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("question sets gold: 3 items of gold@1\n")
    assert "1 of 5 entries are empty" in err
    assert "1 of 5 entries have more answers than questions, or fewer" in err
    assert "1 of 6 questions have no answer in the golden answer" in err
    assert main([*argv, "--workspace", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["defects"]["empty"] == 1


def test_what_came_in_is_listed_question_by_question(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--workspace", str(folder)]
    assert main(["question-sets", *place]) == 0
    assert "No question sets were imported" in capsys.readouterr().err
    with open_workspace(folder) as workspace:
        import_question_sets(workspace, [write(tmp_path)], dataset="gold", name="crud")
    assert main(["question-sets", *place]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["crud", "gold", "3", "4"]
    assert main(["question-sets", "crud", *place]) == 0
    assert "加息至多少？" in capsys.readouterr().out
    assert main(["question-sets", "crud", "--json", *place]) == 0
    first = json.loads(capsys.readouterr().out)["question_sets"][0]
    assert (first["item"], first["content"]["answers"]) == ("q0", ["央行", "3.5%"])
    assert main(["question-sets", "crude", *place]) == 2
    assert "Did you mean 'crud'?" in capsys.readouterr().err


def test_sets_that_were_not_imported_are_named_with_those_that_were(
    folder: Path, tmp_path: Path
) -> None:
    provider = '[providers.p]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
    table = '[judges.quest]\nmethod = "ragquesteval"\nmodel = "p"\nquestions = "crud"\n'
    write_settings(folder, provider, table)
    with pytest.raises(InputError, match=r"judges.quest.questions is 'crud', and no question sets"):
        find_judge(folder, "quest")
    with open_workspace(folder) as workspace:
        import_question_sets(workspace, [write(tmp_path)], dataset="gold", name="crud")
    first = find_judge(folder, "quest").hash
    with open_workspace(folder) as workspace:
        other = {"q0": {**SETS["q0"], "answers": ["央行", "百分之三点五"]}}
        import_question_sets(workspace, [write(tmp_path, other)], dataset="gold", name="crud")
    assert find_judge(folder, "quest").hash != first


def test_imported_questions_are_asked_and_nothing_is_made_anew(tmp_path: Path) -> None:
    golden = list(GOLDEN.values())[:3]

    def reply(request: Request) -> Reply:
        system, user = (message["content"] for message in request.body["messages"][:2])
        if "key_info" in system:
            return scripted.answer('{"key_info": ["x"], "question": ["新题？"]}')
        count = user.rsplit("问题：", 1)[1].count("？")
        return scripted.answer("".join("<response>\n央行\n</response>\n" for _ in range(count)))

    table = '[judges.{}]\nmethod = "ragquesteval"\nmodel = "p"\nlang = "zh"\nquestions = "crud"\n{}'
    work = AskedJudges(
        tmp_path / "w",
        {f"q{number:05}": item(f"{number}？", (text,)) for number, text in enumerate(golden)},
        {"a": lambda number: f"回答 {number}"},
        reply,
        [table.format("theirs", ""), table.format("paper", 'variant = "standard"\n')],
    )
    sets = {f"q{number:05}": SETS[f"q{number}"] for number in range(3)}
    with open_workspace(work.folder) as workspace:
        import_question_sets(workspace, [write(tmp_path, sets)], dataset="gold", name="crud")
    with work:
        work.judge("theirs", "a", "theirs")
        work.judge("paper", "a", "paper")
    recall, precision = (work.scores("theirs", name) for name in ("QA_recall", "QA_avg_F1"))
    assert (recall[0].score.value, precision[0].score.value) == (1.0, 0.5)
    assert (recall[0].details or {})["questions_from"] == "import crud"
    # their code counts a set whose golden answer answers nothing as 0, and an empty one not at all
    assert (recall[1].score.value, precision[1].score.value) == (0.0, 0.0)
    assert recall[2].score.state is ScoreState.NA
    assert (work.asked["theirs"], work.estimates["theirs"].calls) == (2, 2)
    assert not work.estimates["theirs"].at_least
    # by the paper, missing answers are asked of the golden answer, and missing questions made
    recall = work.scores("paper", "QA_recall")
    assert [recall[number].score.value for number in range(3)] == [1.0, 1.0, 1.0]
    assert work.asked["paper"] == 1 + 3


@pytest.mark.skipif(not DATA.exists(), reason="the shared data is not here")
def test_the_published_sets_come_in_with_their_faults(tmp_path: Path) -> None:
    files = sorted((DATA / "questeval").glob("*_quest_gt_save.json"))
    keys = [
        f"{read_question_sets(file)[0]}/{id}"
        for file in files
        for id in read_question_sets(file)[1]
    ]
    folder = make_workspace(tmp_path / "w", {key: item(key, (f"标准{key}",)) for key in keys})
    with open_workspace(folder) as workspace:
        made = import_question_sets(workspace, files, dataset="gold", name="crud")
        assert (made.sets, made.elsewhere) == (600, 0)
        assert made.defects == Defects(
            entries=600, questions=2358, empty=52, unequal=13, unanswerable=205, unusable=15
        )
        held = question_sets.of_name(workspace.db, "crud").values()
    # as a share of all answers about what is known of the whole files: 7 to 11 %
    answers = sum(len(one.answers) for one in held)
    assert 0.07 < made.defects.unanswerable / answers < 0.11
