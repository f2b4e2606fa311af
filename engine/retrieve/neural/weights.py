"""Model weights that sentence-transformers loads: found, identified, given a device and a dtype."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from store.errors import InputError, RagdeskError
from store.systems import NeuralModel

_SHAPES_OUTPUT = frozenset({".json", ".txt", ".model", ".safetensors", ".bin", ".py", ".jinja"})
_OTHER_RUNTIMES = frozenset({"onnx", "openvino"})


def require_neural() -> None:
    """Raises RagdeskError when sentence-transformers is not installed; imports nothing."""
    if find_spec("sentence_transformers") is None:
        raise _missing("No module named 'sentence_transformers'")


def import_sentence_transformers() -> Any:
    """The module, without its progress bars. Raises RagdeskError when it is not installed."""
    try:
        import sentence_transformers
        import transformers
    except ImportError as error:
        raise _missing(str(error)) from error
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    return sentence_transformers


def _missing(reason: str) -> RagdeskError:
    return RagdeskError(
        f"Neural models need the extra `neural`, which is not installed here ({reason}).",
        "Install it: pip install 'ragdesk[neural]'.",
    )


def device_of(config: NeuralModel) -> str:
    """`cpu`, `cuda` or another name of torch's; for `auto` the best that the machine has."""
    if config.device != "auto":
        return config.device
    device: str = import_sentence_transformers().util.get_device_name()
    return device


def dtype_of(config: NeuralModel) -> str:
    """`float32`, `bfloat16` or `float16`.

    `auto` goes by what the processor declares, not by a measurement: a noisy one would choose
    otherwise from day to day, and indexes would be built again.
    """
    if config.dtype != "auto":
        return config.dtype
    return _fast_dtype(device_of(config).partition(":")[0])


@functools.cache
def _fast_dtype(device: str) -> str:
    import torch

    if device == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
        return "bfloat16" if native else "float16"
    if device == "cpu":
        capabilities = torch.cpu.get_capabilities()
        # AVX-512 BF16 or AMX on x86, BF16 on Arm: elsewhere bfloat16 is slower than float32
        native = any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
        return "bfloat16" if native else "float32"
    return "float32"


def load_arguments(config: NeuralModel) -> dict[str, Any]:
    """The arguments that every model class of sentence-transformers takes to load these weights."""
    import torch

    return {
        "device": device_of(config),
        "revision": None if is_folder(config) else _commit(config.model, config.revision),
        "trust_remote_code": config.trust_remote_code,
        "model_kwargs": {"dtype": getattr(torch, dtype_of(config))},
    }


def is_folder(config: NeuralModel) -> bool:
    """Returns whether the model is given as a folder. Raises InputError for a folder that is not
    there."""
    path = Path(config.model)
    if path.is_absolute() and not path.is_dir():
        raise InputError(
            f"The model {config.name!r} should be in {config.model}, which is not a folder.",
            "Correct `model` in the settings.",
        )
    return path.is_absolute()


def weights_id(config: NeuralModel) -> str:
    """The identity of the weights: a hash of the folder's files, or the hub's name and commit."""
    import_sentence_transformers()
    if is_folder(config):
        return _files_hash(Path(config.model))
    with loading(config):
        return f"{config.model}@{_commit(config.model, config.revision)}"


def declared_weights(config: NeuralModel) -> str:
    """The identity of the weights as far as the settings tell it, without any library: a hash of
    the folder's files, or the hub's name and the revision asked for."""
    if is_folder(config):
        return _files_hash(Path(config.model))
    return f"{config.model}@{config.revision}"


def _files_hash(folder: Path) -> str:
    files = sorted(_shaping_files(folder))
    marks = [(file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _hash_of_files(folder, tuple(zip(files, marks, strict=True)))


@functools.lru_cache(maxsize=16)
def _hash_of_files(folder: Path, files: tuple[tuple[Path, tuple[int, int]], ...]) -> str:
    """Sizes and times of the files say when one that was hashed has changed since."""
    digest = hashlib.blake2b(digest_size=16)
    for path, _ in files:
        with path.open("rb") as file:
            own = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        digest.update(f"{path.relative_to(folder).as_posix()} {own.hexdigest()}\n".encode())
    return digest.hexdigest()


def _shaping_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inner = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part in _OTHER_RUNTIMES for part in inner)
        if path.suffix in _SHAPES_OUTPUT and not hidden and path.is_file():
            yield path


@functools.cache
def _commit(name: str, revision: str) -> str:
    from huggingface_hub import hf_hub_download

    # every model has this file, and the cache keeps it in a folder named after the commit
    return Path(hf_hub_download(name, "config.json", revision=revision or None)).parent.name


@contextmanager
def loading(config: NeuralModel) -> Iterator[None]:
    """Turns what goes wrong while a model is loaded into an InputError that names the model."""
    from safetensors import SafetensorError

    try:
        yield
    # sentence-transformers passes on whatever its parts raise for missing or broken files
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(
            f"The model {config.name!r} ({config.model}) cannot be loaded: {reason}",
            "Check `model` in the settings: a folder with all files of the model, or"
            " ORGANISATION/NAME on the hub. Without a network, download it first:"
            " `hf download ORGANISATION/NAME`.",
        ) from error


@contextmanager
def computing(config: NeuralModel) -> Iterator[None]:
    """Turns a device that runs out of memory into an error that says what to lower."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise RagdeskError(
            f"The model {config.name!r} does not fit into the memory of {device_of(config)}.",
            f'Lower its `batch` (now {config.batch}) or `max_length`, or set device = "cpu".',
        ) from error
