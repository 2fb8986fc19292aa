"""Running text out of a Wikipedia dump.

``mwparserfromhell`` reads the markup; this module says what of it is running text. The rules:

- Redirects and pages outside the article namespace are no documents.
- Links, emphasis, character references and the like leave their text. References, comments, images,
  categories, galleries and tables go.
- A template that carries running text (a conversion of units, a word in another language, a date, a
  dash) is written out; one that carries none (a citation, a request for one, a pronunciation) goes.
- A formula or any other template within a line leaves a hole. A paragraph with a hole would hold a
  sentence that nobody wrote, so it goes whole.
- A paragraph or list item stays if it is prose: at least ``MIN_WORDS`` words, beginning like a
  sentence and ending like one. List items stay without their bullet.
- Sections of references and links go. Another heading stays, as a line of its own, where prose
  follows before the next heading of its level.
"""

from __future__ import annotations

import bz2
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproutils.errors import ReproError

MIN_WORDS = 8

# None of these characters can stand in XML, so none comes from the dump.
_ITEM, _HOLE, _HEADING = "\x01", "\x02", "\x03"

_APPENDIX = re.compile(
    r"(see also|references?|notes?|footnotes|citations?|sources?|bibliography|further reading|"
    r"external links?|gallery|publications|(selected )?works|filmography|discography|"
    r"(primary|secondary) sources|works cited|literature|media)( and .*)?",
    re.IGNORECASE,
)
_NO_TEXT_LINK = re.compile(r"\s*(file|image|category|media)\s*:", re.IGNORECASE)
_MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|\{\||\|\}|\|\||</?[A-Za-z]|__[A-Z]+__|&#?\w+;|https?://")
_BEGINS = re.compile(r"[\"'“‘(\[]*[A-Z0-9À-ÞĀ-ž]")
_ENDS = re.compile(r"[.!?][\"'”’)\]]*$")
_EMPTY_BRACKETS = re.compile(r"\(\s*(?:[,;:]|or|and|\s)*\s*\)")
_BRACKET_START = re.compile(r"([(\[])\s*(?:[,;:]\s*)+")
_BRACKET_END = re.compile(r"\s*(?:[,;]\s*)*([)\]])")
_SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")

_NO_TEXT_TAGS = {
    *("ref", "references", "table", "gallery", "timeline", "source", "syntaxhighlight"),
    *("imagemap", "hiero", "score", "includeonly"),
}
_HOLE_TAGS = {"math", "chem", "ce", "pre"}
_ITEM_TAGS = {"li", "dt", "dd"}
_BLOCK_TAGS = {"blockquote", "div", "center", "p", "ol", "ul", "hr"}

# Written as they stand.
_FIXED = {
    "'": "'",
    "'s": "'s",
    "' \"": "' \"",
    '-"': '"',
    "mdash": "—",
    "mdashb": "—",
    "nbsp": " ",
    "ndash": "–",
    "snd": " – ",
    "spaced ndash": " – ",
    "spaces": " ",
    "thinsp": "",
}
# Written as one of their unnamed arguments: the first, or the last where a language code precedes.
_FIRST_ARGUMENT = {
    *("nowrap", "nihongo", "smaller", "small", "big", "large", "sc", "vr", "abbr", "ipa"),
    *("quote", "blockquote", "linktext", "visible anchor", "smallcaps"),
}
_LAST_ARGUMENT = {"lang", "rtl-lang", "transl", "script"}
# Notes, requests and pronunciations: the sentence reads on without them.
_NO_TEXT_TEMPLATE = re.compile(
    r"sfnp?|sfnm|harv\w*|rp|refn|efn|#tag:ref|cite .*|cn|fact|citation needed|ipac?-[a-z-]+|"
    r"respell|pronunciation|pron-en|audio|"
    r"clarify|when|which|who|whom|by whom|where|vague|dubious|page needed|better source|"
    r"failed verification|verify source|relevance inline|qualify evidence|inflation-fn|citation|"
    r"isbn|issn|oclc|anchor|clear|good article|featured article|dead link|update after|"
    r"specify|weasel[ -]inline|neologism inline|need quotation to verify|not in citation given",
)
_CONVERT_JOINTS = {"-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "x": " by "}
_NUMBER = re.compile(r"[-−]?[\d.,/+]+")


@dataclass(frozen=True)
class Page:
    """One page of a dump: its title and its wikitext."""

    title: str
    wikitext: str


def read_dump(path: Path) -> tuple[list[Page], int]:
    """The articles of a bzip2-compressed MediaWiki XML dump, in order.

    Returns:
        The pages of the article namespace that are no redirects, and how many other pages there
        are.

    Raises:
        ReproError: the file is no such dump.
    """
    pages: list[Page] = []
    others = 0
    try:
        with bz2.open(path) as stream:
            root = ElementTree.parse(stream).getroot()
    except (OSError, EOFError, ElementTree.ParseError) as error:
        raise ReproError(f"{path} is no MediaWiki dump ({error}); restore the file") from error
    for page in root.iterfind("{*}page"):
        if page.findtext("{*}ns") != "0" or page.find("{*}redirect") is not None:
            others += 1
        else:
            title = page.findtext("{*}title") or ""
            pages.append(Page(title, page.findtext("{*}revision/{*}text") or ""))
    return pages, others


def parser_version() -> str:
    """The version of mwparserfromhell, on which the running text depends.

    Raises:
        ReproError: the package is missing.
    """
    return str(_parser().__version__)


def _parser() -> Any:
    try:
        import mwparserfromhell
    except ImportError as error:
        raise ReproError(
            "Wikipedia needs the package mwparserfromhell; install it with "
            "`pip install mwparserfromhell`"
        ) from error
    return mwparserfromhell


def plain_text(wikitext: str) -> tuple[str, Counter[str]]:
    """The running text of one article; see the module for the rules.

    Returns:
        Paragraphs and headings with a blank line between them, and how many paragraphs were left
        out for which reason.

    Raises:
        ReproError: the package mwparserfromhell is missing.
    """
    parse = _parser().parse
    dropped: Counter[str] = Counter()
    blocks: list[str] = []
    waiting: list[tuple[int, str]] = []  # headings that no prose has followed yet
    hidden = 0  # the level of the appendix that the line stands in, 0 outside of one
    for block in _blocks(_render(parse(wikitext))):
        if block.startswith(_HEADING):
            level, title = int(block[1]), _tidy(block[2:])
            if hidden and level > hidden:
                continue
            hidden = level if _APPENDIX.fullmatch(title) else 0
            waiting = [(above, text) for above, text in waiting if above < level]
            if not hidden and title and not _MARKUP.search(title) and _HOLE not in title:
                waiting.append((level, title))
        elif not hidden:
            text, reason = _prose(block)
            if text:
                blocks += [heading for _, heading in waiting] + [text]
                waiting = []
            elif reason:
                dropped[reason] += 1
    return "\n\n".join(blocks), dropped


def _blocks(rendered: str) -> Iterator[str]:
    """Headings, list items and paragraphs; a paragraph may run over several lines."""
    lines: list[str] = []
    for line in [*rendered.split("\n"), ""]:
        special = line.startswith((_HEADING, _ITEM, "|", "!", "{"))
        if lines and (special or not line.strip()):
            yield " ".join(lines)
            lines = []
        if line.startswith((_HEADING, _ITEM)):
            yield line
        elif line.strip() and not special:
            lines.append(line)


def _prose(block: str) -> tuple[str, str]:
    """The paragraph if it is prose, else an empty one and the reason (none for bare templates)."""
    text = block.lstrip(_ITEM + " ")
    # A template before or after all the sentences (a box, a note) breaks none of them.
    if _BEGINS.match(text.lstrip(_HOLE + " ")):
        text = text.lstrip(_HOLE + " ")
    while text.rstrip().endswith(_HOLE) and _ENDS.search(text.rstrip(_HOLE + " ")):
        text = text.rstrip(_HOLE + " ")
    if not text.strip(_HOLE + " "):
        return "", ""
    if _HOLE in text:
        return "", "with a formula or an unknown template"
    text = _tidy(text)
    if _MARKUP.search(text):
        return "", "with markup left"
    if len(text.split()) < MIN_WORDS or not (_BEGINS.match(text) and _ENDS.search(text)):
        return "", "not prose"
    return text, ""


def _tidy(text: str) -> str:
    """Composed characters, single spaces, no traces of what stood in brackets."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    text = re.sub(r"'{2,}", "", text)
    # Twice, since what is left of a bracket may stand in another.
    for _ in range(2):
        text = _EMPTY_BRACKETS.sub("", text)
        text = _BRACKET_START.sub(r"\1", text)
        text = _BRACKET_END.sub(r"\1", text)
    return " ".join(re.sub(r" (?=[,;:.](?: |$))", "", text).split())


# Nodes to text -------------------------------------------------------------------------------


def _render(code: Any) -> str:
    """The text of parsed wikitext, with a mark for each item, hole and heading."""
    return "".join(_RENDERERS[type(node).__name__](node) for node in code.nodes)


def _link(node: Any) -> str:
    title = str(node.title)
    if _NO_TEXT_LINK.match(title):
        return ""
    return _render(node.text) if node.text is not None else title.strip().removeprefix(":")


def _external_link(node: Any) -> str:
    if not node.brackets:
        return _HOLE
    return _render(node.title) if node.title is not None else ""


def _heading(node: Any) -> str:
    return f"\n{_HEADING}{node.level}{_render(node.title).strip()}\n"


def _tag(node: Any) -> str:
    name = str(node.tag).strip().lower()
    if name in _NO_TEXT_TAGS:
        return ""
    if name in _HOLE_TAGS:
        return _HOLE
    text = _render(node.contents) if node.contents is not None else ""
    if name in _ITEM_TAGS:
        return f"\n{_ITEM}{text}" if node.wiki_markup else f"\n{_ITEM}{text}\n"
    if name in _BLOCK_TAGS:
        return f"\n\n{text}\n\n"
    if name == "br":
        return " "
    return text.translate(_SUPERSCRIPTS) if name == "sup" else text


def _template(node: Any) -> str:
    name = " ".join(str(node.name).split()).lower()
    if name in _FIXED:
        return _FIXED[name]
    if _NO_TEXT_TEMPLATE.fullmatch(name):
        return ""
    unnamed = [_render(p.value).strip() for p in node.params if not p.showkey]
    if name == "convert":
        return _conversion(unnamed)
    if name == "as of":
        day = " ".join(reversed(unnamed[:3]))
        word = "as of" if node.has("lc") else "As of"
        return f"{word} {day}" if unnamed and len(unnamed) == 1 else _HOLE
    if unnamed and name in _LAST_ARGUMENT:
        return unnamed[-1]
    if unnamed and (name in _FIRST_ARGUMENT or name.startswith("lang-")):
        return unnamed[0]
    return f"⟨{unnamed[0]}⟩" if unnamed and name == "angbr" else _HOLE


def _conversion(arguments: list[str]) -> str:
    """``{{convert|3|to|5|km|mi}}`` as "3 to 5 km": as measured, without the other unit."""
    text = ""
    for number, argument in enumerate(arguments):
        if _NUMBER.fullmatch(argument):
            text += argument
        elif argument in _CONVERT_JOINTS and number and arguments[number + 1 :]:
            text += _CONVERT_JOINTS[argument]
        else:
            return f"{text} {argument}" if text else _HOLE
    return _HOLE


def _nothing(node: Any) -> str:
    return ""


_RENDERERS: dict[str, Callable[[Any], str]] = {
    "Text": lambda node: str(node.value),
    "HTMLEntity": lambda node: str(node.normalize()),
    "Wikilink": _link,
    "ExternalLink": _external_link,
    "Heading": _heading,
    "Tag": _tag,
    "Template": _template,
    "Comment": _nothing,
    "Argument": _nothing,
}
