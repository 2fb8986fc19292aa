def shared_start(left: str, right: str) -> int:
    for place, (a, b) in enumerate(zip(left, right)):
        if a != b:
            return place
    return min(len(left), len(right))


def classify_keying_slip(meant: str, typed: str) -> str:
    if meant == typed:
        return "same"
    start = shared_start(meant, typed)
    meant_rest, typed_rest = meant[start:], typed[start:]
    if len(meant) == len(typed):
        if meant_rest[1:] == typed_rest[1:]:
            return "change"
        if typed_rest == meant_rest[1] + meant_rest[0] + meant_rest[2:]:
            return "swap"
    elif meant_rest[1:] == typed_rest:
        return "drop"
    elif start > 0 and typed_rest == meant[start - 1 :]:
        return "double"
    return "other"
