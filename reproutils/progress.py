"""Progress of long work: a bar on a terminal or in a live notebook, silence in a batch run."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

INJECTED_HEADER = "# Parameters"


def injected_parameters_source() -> str | None:
    """Source of the parameters cell that papermill injected into the running notebook, or None
    outside a notebook and in an interactive one."""
    shell = _shell()
    for source in shell.user_ns.get("In", ()) if shell else ():
        if source.startswith(INJECTED_HEADER):
            return str(source)
    return None


def progress(iterable: Iterable[Any], *, label: str, total: int) -> Iterable[Any]:
    """Iterate with a progress bar.

    The bar is a widget or text in an interactive notebook, text on a terminal, and absent when
    the output is a file or papermill runs the notebook, where it would fill the page.
    """
    in_notebook = _shell() is not None
    if in_notebook and injected_parameters_source() is None:
        from tqdm.auto import tqdm

        return tqdm(iterable, desc=label, total=total, leave=False)
    from tqdm import tqdm as plain_tqdm

    return plain_tqdm(iterable, desc=label, total=total, leave=False, disable=in_notebook or None)


def _shell() -> Any:
    """The running IPython shell, or None; IPython merely imported is no shell."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
