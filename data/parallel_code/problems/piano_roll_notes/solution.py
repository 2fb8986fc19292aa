from collections.abc import Iterator
from itertools import islice


class PlayerPiano:
    def __init__(self, roll: list[str]) -> None:
        self.roll = roll
        self.base = 60
        self.block_end: dict[int, int] = {}
        open_blocks: list[int] = []
        for place, command in enumerate(roll):
            if command.startswith("repeat"):
                open_blocks.append(place)
            elif command == "end":
                self.block_end[open_blocks.pop()] = place

    def perform(self, place: int, stop: int) -> Iterator[int]:
        while place < stop:
            match self.roll[place].split():
                case ["play", step]:
                    yield self.base + int(step)
                case ["rest"]:
                    yield -1
                case ["shift", step]:
                    self.base += int(step)
                case ["home"]:
                    self.base = 60
                case ["repeat", times]:
                    end = self.block_end[place]
                    for _ in range(int(times)):
                        yield from self.perform(place + 1, end)
                    place = end
            place += 1


def piano_roll_notes(roll: list[str], limit: int) -> list[int]:
    notes = PlayerPiano(roll).perform(0, len(roll))
    return list(islice(notes, limit))
