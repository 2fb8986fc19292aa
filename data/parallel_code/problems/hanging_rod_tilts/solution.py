def hanging_rod_tilts(rods: list[list[int]]) -> list[int]:
    def weight(load: int) -> int:
        if load >= 0:
            return load
        _, left, _, right = rods[-load]
        return weight(left) + weight(right)

    return [arm * weight(a) - other_arm * weight(b) for arm, a, other_arm, b in rods]
