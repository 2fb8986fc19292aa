"""How the loaders read: the registry, text files, JSON lines and data sets of the Hub."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from reproutils.errors import ReproError
from reproutils.paths import registry_file

_Source = TypeVar("_Source")


def registry_section(
    section: str, build: Callable[[str, dict[str, Any]], _Source], registry: Path | None = None
) -> tuple[_Source, ...]:
    """The entries of one section of the registry of corpora.

    Args:
        section: the name of the section.
        build: makes the entry out of its name and its keys.
        registry: the file to read; by default the project's ``corpora.toml``.

    Raises:
        ReproError: the file cannot be read or an entry lacks a key.
    """
    path = registry if registry is not None else registry_file("corpora.toml")
    try:
        sections: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(build(name, entry) for name, entry in sections[section].items())
    except OSError as error:
        raise ReproError(
            f"cannot read {path} ({error.strerror}); restore it from the repository"
        ) from error
    except (KeyError, TypeError, ValueError) as error:
        raise ReproError(
            f"{path} is not a valid corpus registry ({type(error).__name__}: {error}); correct it"
        ) from error


def decoded_lines(path: Path) -> list[str]:
    r"""The lines of a UTF-8 file, split at ``\n`` alone, so that parallel files stay parallel and
    a JSON line may hold any other separator.

    A byte order mark at the start and a line feed at the end belong to no line.

    Raises:
        ReproError: the file cannot be read, is empty or is not UTF-8; with file and line number.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReproError(f"cannot read {path} ({error.strerror}); check the file") from error
    raw = content.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    if raw == [b""]:
        raise ReproError(f"{path} is empty; restore the file")
    lines: list[str] = []
    for number, line in enumerate(raw, start=1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ReproError(
                f"{path}, line {number}: byte {line[error.start]:#04x} is not UTF-8; "
                f"convert the file to UTF-8"
            ) from error
    return lines


def json_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON lines file, each with ``FILE, line NUMBER`` for messages.

    Blank lines are passed over.

    Raises:
        ReproError: see :func:`decoded_lines`; or a line is no JSON object.
    """
    for number, line in enumerate(decoded_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise ReproError(f"{where}: not JSON ({error.msg}); correct the line") from None
        if not isinstance(record, dict):
            raise ReproError(f"{where}: not an object with fields; correct the line")
        yield where, record


def hub_records(name: str, default_split: str) -> tuple[str, list[dict[str, Any]]]:
    """The rows of a data set of the Hugging Face Hub.

    Args:
        name: ``hub:OWNER/NAME``, ``hub:OWNER/NAME:CONFIGURATION`` or
            ``hub:OWNER/NAME:CONFIGURATION:SPLIT``; the configuration may be empty.
        default_split: the split where the name gives none.

    Returns:
        What was loaded, in words, and its rows.

    Raises:
        ReproError: the package ``datasets`` is missing, or the data set cannot be loaded.
    """
    dataset, _, rest = name.removeprefix("hub:").partition(":")
    config, _, split = rest.partition(":")
    split = split or default_split
    loaded = f"{dataset}, {f'configuration {config}, ' if config else ''}{split} split"
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise ReproError(
            f"{name} needs the package datasets; install it with `pip install datasets`"
        ) from error
    try:
        rows = [dict(row) for row in load_dataset(dataset, config or None, split=split)]
    # The libraries below raise errors of many unrelated kinds for a missing network or data set.
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ReproError(
            f"cannot load {loaded}, from the Hub: {reason}; check the name "
            f"(hub:OWNER/NAME:CONFIGURATION:SPLIT) and the network, or use path:FOLDER"
        ) from error
    return loaded, rows
