import re

TERM = re.compile(r"(-?)(?:([a-z]+)([:=<>]))?(.+)")
WHOLE = re.compile(r"-?\d+")


def term_holds(field: str, sign: str, text: str, item: dict[str, str]) -> bool:
    if not sign:
        return any(text.lower() in value.lower() for value in item.values())
    if field not in item:
        return False
    value = item[field]
    if sign == ":":
        return text.lower() in value.lower()
    if sign == "=":
        return value == text
    if not WHOLE.fullmatch(value):
        return False
    return int(value) < int(text) if sign == "<" else int(value) > int(text)


def shelf_query_matches(query: str, items: list[dict[str, str]]) -> list[int]:
    terms = [TERM.fullmatch(term).groups(default="") for term in query.split()]
    return [
        position
        for position, item in enumerate(items)
        if all(term_holds(*rest, item) != bool(minus) for minus, *rest in terms)
    ]
