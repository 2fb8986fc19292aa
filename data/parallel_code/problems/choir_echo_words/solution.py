import re

TAIL = re.compile(r"[aeiou]+[^aeiou]*$", re.IGNORECASE)


def choir_echo_words(line: str) -> str:
    echoed = []
    for word in line.split(" "):
        tail = TAIL.search(word)
        echoed.append(f"{word}({tail.group().lower()})" if tail else word)
    return " ".join(echoed)
