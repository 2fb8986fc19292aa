def crate_total_weight(
    contents: dict[str, list[str]], weights: dict[str, int], crate: str
) -> int:
    inner = (crate_total_weight(contents, weights, name) for name in contents.get(crate, []))
    return weights.get(crate, 0) + sum(inner)
