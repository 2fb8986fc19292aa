"""The exceptions that the command line turns into one line and an exit status."""

from __future__ import annotations


class ReproError(Exception):
    """A problem the user can mend: one line that names the thing and the way out.

    The command line prints the message without a traceback and exits with status 2.
    """


class NotebookError(Exception):
    """A notebook, or the book made of them, stopped with an error that is not the user's to mend.

    Attributes:
        status: exit status for the command line.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
