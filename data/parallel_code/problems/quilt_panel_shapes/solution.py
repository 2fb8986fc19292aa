from math import isqrt


def quilt_panel_shapes(patches: int, max_ratio: int) -> list[list[int]]:
    sides = [n for n in range(1, isqrt(patches) + 1) if patches % n == 0]
    return [[short, patches // short] for short in sides if patches <= max_ratio * short**2]
