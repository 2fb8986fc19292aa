from dataclasses import dataclass


@dataclass
class Position:
    held: int = 0
    cost: int = 0
    profit: int = 0

    def buy(self, quantity: int, amount: int) -> None:
        self.held += quantity
        self.cost += amount

    def sell(self, quantity: int, amount: int) -> None:
        released = self.cost * quantity // self.held
        self.held -= quantity
        self.cost -= released
        self.profit += amount - released


def exchange_desk_ledger(trades: list[list[str]]) -> dict[str, list[int]]:
    positions: dict[str, Position] = {}
    rejected = 0
    for action, currency, quantity_text, amount_text in trades:
        quantity, amount = int(quantity_text), int(amount_text)
        position = positions.get(currency, Position())
        if action == "buy" and quantity > 0:
            position.buy(quantity, amount)
        elif action == "sell" and 0 < quantity <= position.held:
            position.sell(quantity, amount)
        else:
            rejected += 1
            continue
        positions[currency] = position
    ledger = {
        currency: [position.held, position.cost, position.profit]
        for currency, position in positions.items()
    }
    ledger["rejected"] = [rejected]
    return ledger
