from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Tour:
    minute: int
    places: tuple[int, ...]

    @property
    def state(self) -> tuple[frozenset[int], int]:
        return frozenset(self.places), self.places[-1]

    def extensions(self, minutes: list[list[int]], deadlines: list[int]) -> Iterator[Tour]:
        here = self.places[-1]
        for place, deadline in enumerate(deadlines):
            arrival = self.minute + minutes[here][place]
            if place not in self.places and arrival <= deadline:
                yield Tour(arrival, (*self.places, place))


def messenger_deadline_tour(minutes: list[list[int]], deadlines: list[int]) -> list[int]:
    tours = [Tour(0, (0,))]
    while True:
        longer: dict[tuple[frozenset[int], int], Tour] = {}
        for tour in tours:
            for extended in tour.extensions(minutes, deadlines):
                rival = longer.get(extended.state, extended)
                longer[extended.state] = min(rival, extended)
        if not longer:
            return list(min(tours).places[1:])
        tours = list(longer.values())
