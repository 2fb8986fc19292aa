from dataclasses import dataclass, field


@dataclass
class Keeper:
    name: str
    absent: set[int]
    watches: list[int] = field(default_factory=list)

    def may_watch(self, night: int, max_watches: int, rest: int) -> bool:
        if night in self.absent or len(self.watches) >= max_watches:
            return False
        return not self.watches or night - self.watches[-1] > rest


def lighthouse_watch_roster(
    nights: int,
    absences: dict[str, list[int]],
    max_watches: int,
    rest: int,
) -> list[str]:
    keepers = [Keeper(name, set(absent)) for name, absent in sorted(absences.items())]
    roster: list[str] = []

    def fill(night: int) -> bool:
        if night == nights:
            return True
        for keeper in keepers:
            if not keeper.may_watch(night, max_watches, rest):
                continue
            keeper.watches.append(night)
            roster.append(keeper.name)
            if fill(night + 1):
                return True
            roster.pop()
            keeper.watches.pop()
        return False

    return roster if fill(0) else []
