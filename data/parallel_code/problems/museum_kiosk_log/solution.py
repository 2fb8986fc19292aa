COINS = {"5", "10", "20", "50", "100"}


class Kiosk:
    def __init__(self, prices: dict[str, int], stock: dict[str, int]) -> None:
        self.prices = prices
        self.stock = dict(stock)
        self.credit = 0

    def answer(self, event: str) -> str:
        match event.split(" "):
            case ["coin", value]:
                return self.insert(value)
            case ["pick", souvenir]:
                return self.sell(souvenir)
            case ["cancel"]:
                return f"refund {self.empty()}"
        return "ignored"

    def insert(self, value: str) -> str:
        if value not in COINS:
            return f"returned {value}"
        self.credit += int(value)
        return f"credit {self.credit}"

    def sell(self, souvenir: str) -> str:
        if souvenir not in self.prices:
            return f"unknown {souvenir}"
        if not self.stock.get(souvenir, 0):
            return f"{souvenir} sold out"
        missing = self.prices[souvenir] - self.credit
        if missing > 0:
            return f"{souvenir} costs {missing} more"
        self.stock[souvenir] -= 1
        return f"{souvenir} with change {self.empty() - self.prices[souvenir]}"

    def empty(self) -> int:
        credit, self.credit = self.credit, 0
        return credit


def museum_kiosk_log(prices: dict[str, int], stock: dict[str, int], events: list[str]) -> list[str]:
    kiosk = Kiosk(prices, stock)
    return [kiosk.answer(event) for event in events]
