def jar_label_box(lines: list[str]) -> list[str]:
    width = max(map(len, lines), default=0)
    edge = f"+{'-' * (width + 2)}+"
    return [edge, *(f"| {line:<{width}} |" for line in lines), edge]
