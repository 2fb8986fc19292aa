from collections import defaultdict


def round_div(value: int, divisor: int) -> int:
    magnitude = (2 * abs(value) + divisor) // (2 * divisor)
    return -magnitude if value < 0 else magnitude


def invoice_tax_summary(lines: list[list[int]]) -> dict[str, list[int]]:
    nets: dict[int, int] = defaultdict(int)
    for quantity, price, discount, rate in lines:
        nets[rate] += round_div(quantity * price * (100 - discount), 100)
    summary = {
        f"{rate / 10:g}%": [net, round_div(net * rate, 1000)] for rate, net in nets.items()
    }
    summary["total"] = [
        sum(nets.values()),
        sum(tax for _, tax in summary.values()),
    ]
    return summary
