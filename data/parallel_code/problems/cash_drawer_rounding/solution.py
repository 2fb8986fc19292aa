def cash_drawer_rounding(prices: list[int], step: int) -> int:
    return (2 * sum(prices) + step) // (2 * step) * step
