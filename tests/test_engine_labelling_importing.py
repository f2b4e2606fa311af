"""Labels from tables: by name, rater by row or by column, once only, all of the file or nothing."""

from __future__ import annotations

import json

import pytest
from labelling_workspaces import make_drafts
from tiny_workspaces import answer_and_score, make_run, prediction_ids

from engine.labelling.exporting import label_file
from engine.labelling.importing import import_labels
from engine.labelling.session import LabelSession
from store.errors import InputError, NotFound, UsageError
from store.formats.label_rows import read_label_rows, write_label_rows
from store.labels.log import reading
from store.labels.log.events import Subject
from store.verify import verify


@pytest.fixture
def answered(workspace, released):
    """Two runs, `first` and `second`, that answered `a`, `b` and three turns of `c`."""
    with workspace.write() as db:
        for name in ("first", "second"):
            for prediction in prediction_ids(db, make_run(db, released, name)):
                answer_and_score(db, prediction, [])
    return workspace


def prediction(workspace, turn=0, item="a", run="first"):
    (number,) = workspace.db.execute(
        "SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " WHERE run.name = ? AND item_key = ? AND turn = ?",
        (run, item, turn),
    ).fetchone()
    return number


def said(workspace, rater, subject, form="judge_labels"):
    return reading.values(workspace.db, form, rater, subject)


def write(folder, name, text):
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_a_csv_names_answers_by_run_item_and_turn(answered, tmp_path):
    file = write(
        tmp_path,
        "labels.csv",
        "\ufeffrun,item,turn,rater,accuracy,completeness,numerical_accuracy,comment,mood\n"
        'first,a,,王芳,2,-,1,"unit, missing",good\n'
        "first,c,1,li,0,na,,,bad\n",
    )
    made = import_labels(answered, file, "judge_labels")
    assert (made.rows, made.subjects, made.added, made.raters) == (2, 2, 6, ("li", "王芳"))
    assert made.ignored == ("mood",)
    subject = Subject("prediction", str(prediction(answered)))
    assert said(answered, "王芳", subject) == {
        "accuracy": 2,
        "completeness": "na",
        "numerical_accuracy": 1,
    }
    current = reading.current(answered.db, "judge_labels", "王芳", subject)
    assert {one.origin for one in current} == {"import"}
    other = Subject("prediction", str(prediction(answered, 1, "c")))
    assert said(answered, "li", other) == {"accuracy": 0, "completeness": "na"}
    assert verify(answered.db).ok


def test_importing_twice_is_importing_once(answered, tmp_path):
    file = write(tmp_path, "l.csv", "run,item,rater,accuracy\nfirst,a,li,2\nfirst,b,li,1\n")
    assert import_labels(answered, file, "judge_labels").added == 2
    again = import_labels(answered, file, "judge_labels")
    assert (again.added, again.unchanged) == (0, 2)
    assert reading.last_seq(answered.db) == 2
    # a later edition of the table corrects an earlier one
    write(tmp_path, "l.csv", "run,item,rater,accuracy\nfirst,a,li,0\nfirst,b,li,1\n")
    assert import_labels(answered, file, "judge_labels").added == 1


def test_each_rater_may_have_columns(answered, tmp_path):
    file = write(
        tmp_path,
        "two.jsonl",
        '{"id": "a", "system": "first", "w": 2, "l": -1}\n'
        '{"id": "b", "system": "first", "w": 0.0, "l": null}\n',
    )
    columns = {
        "id": "item",
        "system": "run",
        "w": "wang:completeness",
        "l": "li:completeness",
    }
    made = import_labels(answered, file, "judge_labels", columns=columns, na="-1")
    assert (made.added, made.raters) == (3, ("li", "wang"))
    first = Subject("prediction", str(prediction(answered)))
    second = Subject("prediction", str(prediction(answered, item="b")))
    assert said(answered, "li", first) == {"completeness": "na"}
    assert said(answered, "wang", second) == {"completeness": 0}


def test_pairs_and_items_are_named_too(answered, tmp_path):
    file = write(
        tmp_path, "p.csv", "run_a,run_b,item,overall\nfirst,second,a,-2\nsecond,first,b,1\n"
    )
    import_labels(answered, file, "preference", rater="li")
    one, two = prediction(answered), prediction(answered, run="second")
    assert said(answered, "li", Subject("pair", f"{one}:{two}"), "preference") == {"overall": -2}
    with answered.write() as db:
        drafts = make_drafts(db)
    file = write(tmp_path, "i.csv", "dataset,item,rater,score\ndrafts,i3,li,5\n")
    import_labels(answered, file, "inspection")
    assert said(answered, "li", drafts.subject(3), "inspection") == {"score": 5}
    state = answered.db.execute("SELECT state FROM item WHERE item_key = 'i3'").fetchone()
    assert state == ("drafted",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,item,rater,accuracy\nfirst,a,li,2\nfirst,b,li,7\n", "line 3: .*takes 0, 1, 2"),
        ("run,item,rater,accuracy\nfirst,z,li,2\n", "line 2: run 'first' has no answer to .*'z'"),
        ("run,item,rater,accuracy\nthird,a,li,2\n", "line 2: .*third"),
        ("item,rater,accuracy\na,li,2\n", "line 2: field `run` is missing"),
        ("run,item,accuracy\nfirst,a,2\n", "line 2: nobody is named"),
        ("run,item,turn,rater,accuracy\nfirst,a,x,li,2\n", "line 2: field `turn`: 'x'"),
        (
            "run,item,rater,accuracy\nfirst,a,li,2\nfirst,a,li,1\n",
            "line 3: li has a value .*line 2",
        ),
        ("run,item,rater,accuracy\nfirst,a\n", "line 2: 2 columns"),
        ("run,run\nfirst,a\n", "line 1: a column"),
        ("run,item,rater,truth\nfirst,a,li,2\n", "no column of form"),
        ("run,item,rater,accuracy\n", "holds no labels"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(answered, tmp_path, text, message):
    file = write(tmp_path, "labels.csv", text)
    with pytest.raises((InputError, NotFound), match=f"(?s){message}"):
        import_labels(answered, file, "judge_labels")
    assert reading.last_seq(answered.db) == 0


def test_files_of_other_shapes_are_refused(answered, tmp_path):
    for name, text, message in (
        ("l.txt", "", "neither .csv nor .jsonl"),
        ("l.jsonl", "{", "line 1"),
        ("l.jsonl", '{"item": ["a"]}', "field `item` is not a single value"),
        ("none.csv", None, "cannot be read"),
    ):
        file = tmp_path / name if text is None else write(tmp_path, name, text)
        with pytest.raises((InputError, UsageError), match=message):
            import_labels(answered, file, "judge_labels")
    (tmp_path / "gb.csv").write_bytes("run,评分\n".encode("gb18030"))
    with pytest.raises(InputError, match=r"line 1: byte 0x.* is not UTF-8"):
        import_labels(answered, tmp_path / "gb.csv", "judge_labels")


def test_what_a_rater_said_here_is_not_overwritten(answered, tmp_path):
    subject = Subject("prediction", str(prediction(answered)))
    LabelSession(answered, "judge_labels", "li").set(subject, "accuracy", 2)
    file = write(tmp_path, "l.csv", "run,item,rater,accuracy\nfirst,a,li,1\n")
    with pytest.raises(InputError, match="line 2: li said accuracy=2 here"):
        import_labels(answered, file, "judge_labels")
    write(tmp_path, "l.csv", "run,item,rater,accuracy\nfirst,a,li,2\n")
    assert import_labels(answered, file, "judge_labels").unchanged == 1


def test_columns_that_mean_nothing_are_wrong_use(answered, tmp_path):
    file = write(tmp_path, "l.csv", "run,item,rater,a\nfirst,a,li,2\n")
    with pytest.raises(UsageError, match="no 'truth'"):
        import_labels(answered, file, "judge_labels", columns={"a": "truth"})
    with pytest.raises(UsageError, match="no column 'b'"):
        import_labels(answered, file, "judge_labels", columns={"b": "accuracy"})


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_what_is_written_imports_again(answered, tmp_path, suffix):
    subjects = [Subject("prediction", str(prediction(answered, at, "c"))) for at in range(3)]
    session = LabelSession(answered, "judge_labels", "王芳")
    for subject, value in zip(subjects, (0, 1, 2), strict=True):
        session.set(subject, "accuracy", value)
    session.set(subjects[0], "completeness", "na")
    session.comment(subjects[0], 'line one\n"two", 三')
    LabelSession(answered, "judge_labels", "li").set(
        Subject("prediction", f"{subjects[0].id}#1"), "hallucination", 1
    )
    out = tmp_path / f"labels{suffix}"
    out.write_text(label_file(answered, "judge_labels", out), "utf-8")
    assert import_labels(answered, out, "judge_labels").added == 0
    # the same answers by other raters
    rows = [
        row | {"rater": {"王芳": "zhao", "li": "qian"}[row["rater"]]}
        for _, row in read_label_rows(out)
    ]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    other = write(tmp_path, f"other{suffix}", write_label_rows(rows, columns, suffix))
    made = import_labels(answered, other, "judge_labels")
    assert (made.added, made.ignored) == (6, ("origin", "status"))
    repeat = Subject("prediction", f"{subjects[0].id}#1")
    assert said(answered, "qian", repeat) == {"hallucination": 1}
    for subject in subjects:
        assert said(answered, "zhao", subject) == said(answered, "王芳", subject)
    current = reading.current(answered.db, "judge_labels", "zhao", subjects[0])
    comments = [one.value for one in current]
    assert 'line one\n"two", 三' in comments
    if suffix == ".jsonl":
        row = json.loads(out.read_text("utf-8").splitlines()[-1])
        assert (row["run"], row["item"], row["turn"], row["accuracy"]) == ("first", "c", 2, 2)
