import re

GRAMS = {"g": 1, "kg": 1000, "sack": 25000}


def flour_order_grams(order: str) -> int:
    return sum(int(n) * GRAMS[unit] for n, unit in re.findall(r"(\d+) *([a-z]+)", order))
