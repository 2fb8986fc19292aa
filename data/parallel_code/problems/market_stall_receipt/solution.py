from collections import Counter


def market_stall_receipt(
    basket: list[str], prices: dict[str, int], offers: dict[str, list[int]]
) -> list[str]:
    lines = []
    total = full_price = 0
    sold = Counter(good for good in basket if good in prices)
    for good, units in sorted(sold.items()):
        bundle, bundle_price = offers.get(good, [1, prices[good]])
        bundles, singles = divmod(units, bundle)
        cost = bundles * bundle_price + singles * prices[good]
        lines.append(f"{good} x{units} {cost}")
        total += cost
        full_price += units * prices[good]
    if total < full_price:
        lines.append(f"saved {full_price - total}")
    lines.append(f"total {total}")
    if unsold := sorted(set(basket) - prices.keys()):
        lines.append(f"not sold: {', '.join(unsold)}")
    return lines
