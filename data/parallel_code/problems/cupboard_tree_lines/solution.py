from __future__ import annotations

from collections.abc import Iterator

Tree = dict[str, "Tree"]


def draw(tree: Tree, indent: str) -> Iterator[str]:
    for position, (name, inside) in enumerate(sorted(tree.items()), start=1):
        last = position == len(tree)
        yield f"{indent}{'`' if last else '|'}-- {name}"
        yield from draw(inside, indent + ("    " if last else "|   "))


def cupboard_tree_lines(places: list[str]) -> list[str]:
    root: Tree = {}
    for place in places:
        tree = root
        for name in place.split("/"):
            tree = tree.setdefault(name, {})
    return list(draw(root, ""))
