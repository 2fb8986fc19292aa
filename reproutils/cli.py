"""The ``reproutils`` command."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from reproutils.errors import NotebookError, ReproError

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0 on success, 1 when a notebook or a check failed, 2 for a mistake the user can mend, 130
        after Ctrl-C, 138 when a notebook's kernel died.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for noisy in ("httpx", "traitlets", "filelock", "huggingface_hub"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # What papermill has to say of a failure is in the exception.
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    parsed = _parser().parse_args(arguments)
    command: Command = parsed.command
    try:
        return command(parsed)
    except ReproError as error:
        print(f"reproutils: {error}", file=sys.stderr)
        return 2
    except NotebookError as error:
        print(f"reproutils: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print(
            "reproutils: stopped; what was finished is kept in the cache, run again to go on",
            file=sys.stderr,
        )
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reproutils", description="Reproduce and stress-test two papers on hidden states."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        return sub

    fetch = add("fetch", _fetch, "bring the embedded weights and texts into the cache")
    fetch.add_argument("--verify", action="store_true", help="hash every file again")
    add("models", _models, "list the known models")
    corpora = add("corpora", _corpora, "list the known corpora, or verify the parallel code")
    corpora.add_argument("action", nargs="?", choices=["list", "verify"], default="list")
    corpora.add_argument(
        "--languages", default="", help="verify these only (python,java,javascript,go)"
    )
    run = add("run", _run, "run one notebook with papermill")
    run.add_argument("notebook")
    run.add_argument(
        "--model",
        "--models",
        help="alias, path:FOLDER, path:FILE.gguf or Hub id; several, separated by commas, where a "
        "notebook compares models",
    )
    run.add_argument("--dataset", help="corpus name, path:FOLDER or hub:NAME")
    run.add_argument("--profile", default="", help="start from this profile's parameters")
    run.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="any other parameter"
    )
    run.add_argument("--out", type=Path, help="folder for the results (default runs/NOTEBOOK)")
    run.add_argument("--force", action="store_true", help="run even if the results are up to date")
    verdicts = add("verdicts", _verdicts, "print the verdicts of all runs below a folder")
    verdicts.add_argument("folder", type=Path)
    book = add("book", _book, "run the notebooks of a profile and build the book")
    book.add_argument("--profile", default="embedded")
    book.add_argument(
        "--pages-only", action="store_true", help="run nothing; refuse results that are not current"
    )
    pair = add("pair", _pair, "write each notebook's .ipynb half from its .py half")
    pair.add_argument("--check", action="store_true", help="only say which halves differ")
    reference = add("reference", _reference, "keep a run's numbers in data/reference")
    reference.add_argument("folder", type=Path)
    reference.add_argument("name")
    add("doctor", _doctor, "check this installation")
    return parser


def _fetch(arguments: argparse.Namespace) -> int:
    from reproutils.book import fetch_book_assets
    from reproutils.corpora import fetch_corpora
    from reproutils.models import fetch_model, registry

    for alias in registry():
        folder = fetch_model(alias, verify=arguments.verify)
        print(f"model {alias}: {'ready' if folder else 'nothing to fetch, made on first use'}")
    for name in fetch_corpora(verify=arguments.verify):
        print(f"corpus {name}: ready")
    fetch_book_assets(verify=arguments.verify)
    print("book assets: ready")
    return 0


def _models(_: argparse.Namespace) -> int:
    from reproutils.models import registry

    for alias, spec in registry().items():
        print(f"{alias:22} {spec.about} ({spec.licence})")
    print(
        "\nAlso: path:FOLDER, path:FILE.gguf, and Hub ids such as owner/name or owner/name@revision"
    )
    return 0


def _corpora(arguments: argparse.Namespace) -> int:
    from reproutils.corpora import describe_corpora

    if arguments.action == "verify":
        return _verify_code(arguments.languages)
    for name, about in describe_corpora().items():
        print(f"{name:22} {about}")
    return 0


def _verify_code(languages: str) -> int:
    from reproutils.corpora.code_verification import verify
    from reproutils.corpora.parallel_code import LANGUAGES, own_corpus_folder

    chosen = languages.split(",") if languages else list(LANGUAGES)
    folder = own_corpus_folder()
    report = verify(folder, languages=chosen)
    print(report.summary())
    if report.ok and set(chosen) == set(LANGUAGES):
        report.write(folder.parent / "verification.json")
    return 0 if report.ok else 1


def _run(arguments: argparse.Namespace) -> int:
    from reproutils.notebook import parameters_of
    from reproutils.runner import profile, run_notebook

    given = profile(arguments.profile).get(arguments.notebook, {}) if arguments.profile else {}
    for name in ("model", "dataset"):
        if value := getattr(arguments, name):
            given[name] = _absolute(value)
    defaults = parameters_of(arguments.notebook)
    for setting in arguments.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ReproError(f"--set {setting}: write it as KEY=VALUE")
        is_text = isinstance(defaults.get(name), str)
        given[name] = _absolute(value) if is_text else _number_or_truth(value)
    out = (arguments.out or Path("runs") / arguments.notebook).resolve()
    _, ran = run_notebook(arguments.notebook, given, out, force=arguments.force)
    print(f"{'results in' if ran else 'up to date:'} {out}")
    return 0


def _number_or_truth(text: str) -> object:
    """``text`` as YAML reads it if that is a number or a truth value, else as it stands."""
    try:
        parsed = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    return parsed if isinstance(parsed, bool | int | float) else text


def _absolute(name: str) -> str:
    """Comma-separated names with each ``path:`` independent of the working directory, which differs
    inside a notebook."""
    return ",".join(
        f"path:{Path(part.strip().removeprefix('path:')).expanduser().resolve()}"
        if part.strip().startswith("path:")
        else part
        for part in name.split(",")
    )


def _verdicts(arguments: argparse.Namespace) -> int:
    from reproutils.results import read_results

    files = sorted(arguments.folder.glob("**/results.json"))
    if not files:
        raise ReproError(f"no results.json below {arguments.folder}; run a notebook first")
    for path in files:
        results = read_results(path)
        print(f"{results.notebook}: {results.run.model} on {results.run.dataset}")
        for claim in results.claims:
            print(f"  {claim.id:4} {claim.verdict:18} {claim.scale}: {claim.why}")
    return 0


def _book(arguments: argparse.Namespace) -> int:
    from reproutils.book import build_book

    page = build_book(arguments.profile, pages_only=arguments.pages_only)
    print(f"The book is built. Open {page}")
    return 0


def _pair(arguments: argparse.Namespace) -> int:
    from reproutils.runner import pair

    stale = pair(check=arguments.check)
    for name in stale:
        print(f"{name}: {'the halves differ' if arguments.check else 'written from the .py half'}")
    return 1 if stale and arguments.check else 0


def _reference(arguments: argparse.Namespace) -> int:
    from reproutils.runner import keep_reference

    print(f"kept {keep_reference(arguments.folder, arguments.name).name}")
    return 0


def _doctor(_: argparse.Namespace) -> int:
    from reproutils.doctor import findings

    problems = 0
    for good, text in findings():
        print(f"{'ok  ' if good else 'BAD '} {text}")
        problems += not good
    print(f"{problems} problem(s)" if problems else "all well")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
