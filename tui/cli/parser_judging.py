"""The options of the commands about judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.cli.parser import _Commands


def add_judging(commands: _Commands) -> None:
    """Adds judges, judge, calibrate and train-judge."""
    commands.add("judges", "judging", "list_judges", "list who can judge answers")

    judge = commands.add("judge", "judging", "judge", "let a judge score the answers of a run")
    judge.add_argument("run_name", metavar="RUN", help="name or number")
    judge.add_argument("--judge", required=True, metavar="NAME", help="as `judges` lists them")
    judge.add_argument("--metrics", nargs="+", metavar="M", help="default: all that it gives")
    judge.add_argument("--max-tokens", type=int, metavar="N", help="pause after so many tokens")
    judge.add_argument(
        "--max-cost", type=float, metavar="X", help="pause after so much money, in its currency"
    )
    judge.add_argument("--detach", action="store_true", help="return at once; the worker goes on")
    judge.add_argument(
        "--dry-run", action="store_true", help="say what it would take; ask no model, store nothing"
    )

    calibrate = commands.add(
        "calibrate", "judging", "calibrate", "measure judges against people's labels"
    )
    calibrate.add_argument(
        "run_names", nargs="*", metavar="RUN", help="name or number; none: all labelled answers"
    )
    calibrate.add_argument("--sample", metavar="SAMPLE", help="the answers of a labelled sample")
    calibrate.add_argument(
        "--judge",
        nargs="+",
        default=[],
        metavar="NAME",
        help="NAME or NAME@HASH (default: every judge's newest configuration)",
    )
    calibrate.add_argument("--metric", metavar="M", help="default: all five")
    calibrate.add_argument("--details", action="store_true", help="also print confusions and cells")

    train = commands.add(
        "train-judge", "training", "train_judge", "train a judge on people's labels"
    )
    train.add_argument("name", metavar="NAME", help="of the judge, as `judges` will list it")
    train.add_argument("--metrics", nargs="+", metavar="M", help="default: all five")
    train.add_argument("--split", metavar="SPLIT", help="default: the one that exports share")
    train.add_argument("--force", action="store_true", help="replace a judge of that name")
    lora = train.add_argument_group(
        "fine-tuning a language model", "needs the extra `train`; goes on where it was stopped"
    )
    lora.add_argument(
        "--lora", metavar="BASE", help="a model's folder or name, with a chat template"
    )
    lora.add_argument(
        "--data", type=Path, metavar="DIR", help="an export to train on (default: now)"
    )
    lora.add_argument("--rank", type=int, default=16, metavar="N", help="default 16")
    lora.add_argument("--epochs", type=float, default=3.0, metavar="N", help="default 3")
    lora.add_argument("--learning-rate", type=float, default=1e-4, metavar="X", help="default 1e-4")
    lora.add_argument(
        "--batch-size", type=int, default=4, metavar="N", help="rows at once; default 4"
    )
    lora.add_argument("--accumulate", type=int, default=4, metavar="N", help="batches a step")
    lora.add_argument("--max-length", type=int, default=4096, metavar="N", help="tokens of a row")
    lora.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
