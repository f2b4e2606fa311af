"""A wheel holds everything that the program reads at run time, and not only its modules."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("store", "engine", "tui", "sample_corpus")
READ_BY_THE_PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import sample_corpus
from engine.generate.rules.vocabulary import any_of
from engine.labelling.forms import load_form, shipped_forms
from engine.prompts.languages import LANGS
from engine.prompts.templates import load_prompt, prompt_ids
from engine.taxonomy.definitions import load_taxonomy, shipped_taxonomies
assert sample_corpus.__file__.startswith(sys.argv[1]), sample_corpus.__file__
print(json.dumps({
    "forms": [load_form(key).key for key in shipped_forms()],
    "taxonomies": [load_taxonomy(key).key for key in shipped_taxonomies()],
    "prompts": {lang: [load_prompt(one, lang).hash for one in prompt_ids(lang)] for lang in LANGS},
    "documents": sum(1 for _ in (sample_corpus.ROOT / "documents").rglob("*.*")),
    "words": len(any_of("zh", "common to events")),
}))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which a wheel was unpacked that was built from this copy."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def contents(root: Path) -> dict[str, str]:
    """The hash of every file of the packages by its path."""
    return {
        file.relative_to(root).as_posix(): sha256(file.read_bytes()).hexdigest()
        for package in PACKAGES
        for file in (root / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_every_file_of_the_packages_is_in_the_wheel(unpacked: Path) -> None:
    assert contents(unpacked) == contents(ROOT)


def test_forms_taxonomies_prompts_words_and_the_sample_are_found_in_it(unpacked: Path) -> None:
    command = [sys.executable, "-P", "-c", READ_BY_THE_PROGRAM, str(unpacked)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert set(found["forms"]) >= {"inspection", "judge_labels", "preference"}
    assert set(found["taxonomies"]) == {"omnieval", "crud", "ekrag", "autoevolve"}
    assert set(found["prompts"]) == {"zh", "en"}
    assert all(found["prompts"].values())
    assert found["documents"] == sum(1 for _ in (ROOT / "sample_corpus/documents").rglob("*.*"))
    assert found["words"] > 100
