"""Run the benchmarks; see the package's docstring."""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
OUTPUT = FOLDER.parent / "data" / "benchmarks.json"


def names() -> list[str]:
    """The benchmarks of this folder, in alphabetical order."""
    found = (module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    return sorted(name for name in found if not name.startswith("_"))


def main() -> None:
    """Run all benchmarks and write the results, or run some and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", choices=names(), help="benchmarks to run; default all")
    chosen = parser.parse_args().name
    # The numerical libraries read it once, while they are imported.
    os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count() or 1))

    from benchmarks._common import machine
    from reproutils.paths import atomic_write

    results: dict[str, Any] = {"machine": machine()}
    for name in chosen or names():
        print(f"{name} …", file=sys.stderr)
        results[name] = import_module(f"benchmarks.{name}").run()
    text = json.dumps(results, indent=2) + "\n"
    if chosen:
        print(text, end="")
        return
    with atomic_write(OUTPUT) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"written to {OUTPUT}")


if __name__ == "__main__":
    main()
