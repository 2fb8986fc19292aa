from collections import Counter


def wholesale_customer_bills(
    customers: list[str], goods: list[str], units: list[int], prices: dict[str, int]
) -> dict[str, int]:
    ordered: Counter[tuple[str, str]] = Counter()
    for customer, good, count in zip(customers, goods, units):
        ordered[customer, good] += count
    bills: Counter[str] = Counter()
    for (customer, good), count in ordered.items():
        bills[customer] += (count - count // 12) * prices.get(good, 0)
    return dict(bills)
