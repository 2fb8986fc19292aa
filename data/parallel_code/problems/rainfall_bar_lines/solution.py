def rainfall_bar_lines(labels: list[str], amounts: list[int], width: int) -> list[str]:
    margin = max(map(len, labels), default=0)
    highest = max(amounts, default=0)
    lines = []
    for label, amount in zip(labels, amounts):
        length = max(1, amount * width // highest) if amount else 0
        lines.append(f"{label:>{margin}} |{'#' * length} {amount}")
    return lines
