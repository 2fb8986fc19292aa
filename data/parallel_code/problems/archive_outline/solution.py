def archive_outline(names: list[str], parents: list[int]) -> list[str]:
    def section(parent: int, prefix: str) -> list[str]:
        lines = []
        children = [i for i, above in enumerate(parents) if above == parent]
        for number, child in enumerate(children, start=1):
            lines.append(f"{prefix}{number} {names[child]}")
            lines += section(child, f"{prefix}{number}.")
        return lines

    return section(-1, "")
