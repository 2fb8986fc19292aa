import re


def label_key(label: str) -> tuple[list[tuple[bool, int, str]], int, str]:
    chunks = re.findall(r"\d+|\D+", label.lower())
    ranks = [(False, int(c), "") if c.isdigit() else (True, 0, c) for c in chunks]
    return ranks, len(label), label


def compare_bin_labels(left: str, right: str) -> int:
    first, second = label_key(left), label_key(right)
    return (first > second) - (first < second)
