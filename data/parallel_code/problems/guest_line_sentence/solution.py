def guest_line_sentence(names: list[str], limit: int) -> str:
    if not names:
        return "nobody"
    parts = names[:limit]
    hidden = len(names) - len(parts)
    if hidden:
        parts.append("1 other" if hidden == 1 else f"{hidden} others")
    *front, last = parts
    return f"{', '.join(front)} and {last}" if front else last
