"""The one exception that a user of the package is meant to read."""

from __future__ import annotations


class ReproError(Exception):
    """A problem the user can mend: one line that names the thing and the way out.

    The command line prints the message without a traceback and exits with status 2.
    """
