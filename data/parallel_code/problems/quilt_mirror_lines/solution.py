def quilt_mirror_lines(patches: list[str]) -> int:
    lines = [tuple(row) for row in patches] + list(zip(*patches))
    return sum(line == line[::-1] for line in lines)
