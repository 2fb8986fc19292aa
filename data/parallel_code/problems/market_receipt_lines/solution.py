def money(cents: int) -> str:
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02d}"


def amount_line(text: str, cents: int, width: int) -> str:
    amount = money(cents)
    room = width - len(amount) - 1
    return f"{text[:room]:<{room}} {amount}"


def market_receipt_lines(
    names: list[str], quantities: list[int], prices: list[int], width: int, paid: int
) -> list[str]:
    basket: dict[tuple[str, int], int] = {}
    for name, quantity, price in zip(names, quantities, prices):
        basket[name, price] = basket.get((name, price), 0) + quantity

    lines = []
    for (name, price), quantity in basket.items():
        lines.append(amount_line(name, quantity * price, width))
        if quantity > 1:
            lines.append(f"  {quantity} x {money(price)}")
    lines.append("-" * width)

    total = sum(quantity * price for (_, price), quantity in basket.items())
    summary = []
    if total >= 5000:
        discount = total // 20
        summary += [("SUBTOTAL", total), ("DISCOUNT", -discount)]
        total -= discount
    summary += [("TOTAL", total), ("PAID", paid)]
    summary.append(("CHANGE", paid - total) if paid >= total else ("OWING", total - paid))
    return lines + [amount_line(text, cents, width) for text, cents in summary]
