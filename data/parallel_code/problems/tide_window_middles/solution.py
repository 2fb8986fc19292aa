def tide_window_middles(levels: list[int], width: int) -> list[int]:
    windows = (levels[i : i + width] for i in range(len(levels) - width + 1))
    return [sorted(window)[width // 2] for window in windows]
