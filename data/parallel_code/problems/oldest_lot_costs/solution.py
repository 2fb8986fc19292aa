from collections import defaultdict, deque
from dataclasses import dataclass, field


@dataclass
class Stock:
    lots: deque[tuple[int, int]] = field(default_factory=deque)
    sold: int = 0
    refused: int = 0

    def buy(self, units: int, price: int) -> None:
        self.lots.append((units, price))

    def sell(self, wanted: int) -> None:
        while wanted and self.lots:
            units, price = self.lots.popleft()
            taken = min(units, wanted)
            wanted -= taken
            self.sold += taken * price
            if taken < units:
                self.lots.appendleft((units - taken, price))
        self.refused += wanted

    @property
    def left(self) -> int:
        return sum(units * price for units, price in self.lots)


def oldest_lot_costs(goods: list[str], units: list[int], prices: list[int]) -> dict[str, list[int]]:
    cellar: defaultdict[str, Stock] = defaultdict(Stock)
    for good, count, price in zip(goods, units, prices):
        if count >= 0:
            cellar[good].buy(count, price)
        else:
            cellar[good].sell(-count)
    return {good: [stock.sold, stock.left, stock.refused] for good, stock in cellar.items()}
