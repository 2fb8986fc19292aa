"""Predictors that describe code itself: the depth of its syntax tree and the tokens it shares."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from reproutils.errors import ReproError

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

_EXCERPT = 60

# Shells, tried in order when a text does not parse alone: the text before it, the text after it and
# how many named nodes of the shell stand above its content. The grammars take a bare function or a
# list of statements at top level, so that only two kinds of fragment need a shell: members of a
# class, and solutions that close the function (and, in Java, the class) that their declaration
# opened.
_SHELLS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "python": (),
    "java": (
        ("class C {\n", "\n}\n", 2),
        ("void f() {\n", "", 2),
        ("class C { void f() {\n", "", 4),
    ),
    "javascript": (("function f() {\n", "", 2),),
    "go": (("func f() {\n", "", 3),),
}


class ParseError(ReproError):
    """A text that its grammar does not accept, neither alone nor in a shell."""


def ast_depth(code: str, language: str) -> int:
    r"""The number of named nodes on the longest path from the root of the syntax tree to a leaf.

    Named nodes are those that the tree-sitter grammar names; punctuation and keywords are
    anonymous and do not count, nor do comments. The root counts, so that ``x`` in Python has depth
    3: module, expression statement, identifier.

    A text that does not parse alone is put into the smallest shell in which it does, and the nodes
    of the shell above it are subtracted:

    ==========  ============================================  ====================================
    language    shell                                         for
    ==========  ============================================  ====================================
    Java        ``class C { … }``                             members such as constructors
    Java        ``void f() { …``                              a body with the method's brace
    Java        ``class C { void f() { …``                    a body with both closing braces
    JavaScript  ``function f() { …``                          a body with the function's brace
    Go          ``func f() { …``                              a body with the function's brace
    ==========  ============================================  ====================================

    Args:
        code: source text.
        language: python, java, javascript or go.

    Raises:
        ParseError: the text has a syntax error or holds no code.
        ReproError: the language is unknown or a grammar is not installed.
    """
    parser = _parser(language)
    for before, after, above in (("", "", 0), *_SHELLS[language]):
        tree = parser.parse(f"{before}{code}{after}".encode())
        if not tree.root_node.has_error:
            depth = _depth(tree) - above
            if depth <= 1:
                raise ParseError(f"no {language} code in {_excerpt(code)}; leave the text out")
            return depth
    line, column = _first_error(parser.parse(code.encode()))
    raise ParseError(
        f"{language} syntax error in line {line}, column {column} of {_excerpt(code)}; "
        f"mend the text or leave it out"
    )


def shared_token_fraction(a: Collection[str], b: Collection[str]) -> float:
    r"""The Jaccard index of two sets of token types, :math:`|A \cap B| / |A \cup B|`.

    How often a token occurs does not matter, so that the value does not grow with the length of
    the shorter text as a share of token occurrences would.

    Args:
        a: the tokens of one text, as strings.
        b: the tokens of the other.

    Returns:
        0 (nothing in common) to 1 (the same token types).

    Raises:
        ReproError: both are empty, where the index is not defined.
    """
    union = set(a) | set(b)
    if not union:
        raise ReproError("two texts without tokens have no shared fraction; leave the pair out")
    return len(set(a) & set(b)) / len(union)


@cache
def _parser(language: str) -> Parser:
    if language not in _SHELLS:
        raise ReproError(f"no grammar for {language!r}; choose from {', '.join(_SHELLS)}")
    module = f"tree_sitter_{language}"
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = import_module(module)
    except ImportError as error:
        raise ReproError(
            f"syntax trees of {language} need the packages tree-sitter and "
            f"{module.replace('_', '-')}; install them with "
            f"`pip install tree-sitter {module.replace('_', '-')}`"
        ) from error
    parser: Parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    return parser


def _depth(tree: Tree) -> int:
    """The named nodes on the longest path; with a stack, as deep trees exhaust recursion."""
    deepest = 1
    stack = [(tree.root_node, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        # Comments are the grammars' extra nodes.
        stack += [(child, depth + child.is_named) for child in node.children if not child.is_extra]
    return deepest


def _first_error(tree: Tree) -> tuple[int, int]:
    """Line and column, from 1, of the first node that is an error or was missing."""
    faults = []
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            faults.append((node.start_point.row + 1, node.start_point.column + 1))
        stack += [child for child in node.children if child.has_error or child.is_missing]
    return min(faults)


def _excerpt(code: str) -> str:
    """The first line that holds something, quoted and cut, to recognise the text by."""
    first = next((line.strip() for line in code.splitlines() if line.strip()), "")
    return repr(first if len(first) <= _EXCERPT else first[:_EXCERPT] + " ...")
