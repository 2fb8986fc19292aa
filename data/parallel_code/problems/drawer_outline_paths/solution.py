def drawer_outline_paths(lines: list[str]) -> list[str]:
    trail: list[str] = []
    paths = []
    for line in lines:
        if name := line.strip():
            depth = (len(line) - len(name)) // 2
            trail[depth:] = [name]
            paths.append("/".join(trail))
    return paths
