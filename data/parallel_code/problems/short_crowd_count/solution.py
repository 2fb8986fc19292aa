SUFFIXES = {1_000_000_000: "bn", 1_000_000: "m", 1_000: "k"}


def short_crowd_count(count: int) -> str:
    for size, suffix in SUFFIXES.items():
        if count >= size:
            whole, tenth = divmod(count // (size // 10), 10)
            decimal = f".{tenth}" if tenth and whole < 10 else ""
            return f"{whole}{decimal}{suffix}"
    return str(count)
