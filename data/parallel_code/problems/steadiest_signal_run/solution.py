from itertools import groupby


def steadiest_signal_run(word: int, width: int) -> int:
    return max(len(list(run)) for _, run in groupby(f"{word:0{width}b}"))
