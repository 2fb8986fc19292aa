from dataclasses import dataclass


@dataclass
class Pigeon:
    kind: str = ""
    left: str = ""
    faults: int = 0
    strays: int = 0

    def record(self, kind: str, loft: str) -> None:
        if kind == self.kind:
            self.faults += 1
            return
        if kind == "out":
            self.left = loft
        elif self.kind == "out" and loft != self.left:
            self.strays += 1
        self.kind = kind

    @property
    def away(self) -> bool:
        return self.kind == "out"

    def __str__(self) -> str:
        place = "away" if self.away else "home"
        return f"{self.faults} faults, {self.strays} strays, {place}"


def pigeon_ring_audit(rings: list[str], kinds: list[str], lofts: list[str]) -> list[str]:
    pigeons = {ring: Pigeon() for ring in sorted(rings)}
    for ring, kind, loft in zip(rings, kinds, lofts):
        pigeons[ring].record(kind, loft)
    return [
        f"{ring}: {pigeon}"
        for ring, pigeon in pigeons.items()
        if pigeon.faults or pigeon.strays or pigeon.away
    ]
