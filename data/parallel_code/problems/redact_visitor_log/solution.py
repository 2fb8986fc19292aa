import re


def redact_visitor_log(text: str, names: list[str]) -> str:
    hidden = {name.lower() for name in names}

    def mask(match: re.Match[str]) -> str:
        word = match.group()
        return word[0] + "*" * (len(word) - 1) if word.lower() in hidden else word

    return re.sub(r"[A-Za-z]+", mask, text)
