from dataclasses import astuple, dataclass


@dataclass
class Stretch:
    start: int
    end: int
    works: int = 0
    covered: int = 0

    def add(self, start: int, end: int) -> None:
        self.works += 1
        self.covered += max(0, end - max(start, self.end))
        self.end = max(self.end, end)


def joined_roadwork_stretches(works: list[list[int]], gap: int) -> list[list[int]]:
    stretches: list[Stretch] = []
    for start, end in sorted(works):
        if not stretches or start - stretches[-1].end > gap:
            stretches.append(Stretch(start, start))
        stretches[-1].add(start, end)
    return [list(astuple(stretch)) for stretch in stretches]
