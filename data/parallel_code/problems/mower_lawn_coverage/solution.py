STEPS = {
    "north": (0, 1),
    "east": (1, 0),
    "south": (0, -1),
    "west": (-1, 0),
}
RIGHT_OF = {
    "north": "east",
    "east": "south",
    "south": "west",
    "west": "north",
}
LEFT_OF = {right: heading for heading, right in RIGHT_OF.items()}


def mower_lawn_coverage(width: int, height: int, commands: str) -> list[int]:
    heading = "north"
    x, y = 0, 0
    mown = {(x, y)}
    bumps = 0
    for command in commands:
        if command == "L":
            heading = LEFT_OF[heading]
        elif command == "R":
            heading = RIGHT_OF[heading]
        elif command == "F":
            east, north = STEPS[heading]
            if 0 <= x + east < width and 0 <= y + north < height:
                x += east
                y += north
                mown.add((x, y))
            else:
                bumps += 1
                heading = RIGHT_OF[heading]
    return [len(mown), bumps]
