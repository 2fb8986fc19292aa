from itertools import groupby


def button_press_gestures(samples: str, hold: int, gap: int) -> list[str]:
    gestures: list[str] = []
    pause = 0
    for level, run in groupby(samples):
        length = sum(1 for _ in run)
        if level == "0":
            pause = length
        elif length >= hold:
            gestures.append("hold")
        elif gestures[-1:] == ["tap"] and pause <= gap:
            gestures[-1] = "double"
        else:
            gestures.append("tap")
    return gestures
