from collections import defaultdict
from statistics import fmean


def aisle_price_drift(
    old: dict[str, float], current: dict[str, float], aisles: dict[str, str]
) -> dict[str, float]:
    changes: defaultdict[str, list[float]] = defaultdict(list)
    for good, aisle in aisles.items():
        if good in old and good in current:
            changes[aisle].append(current[good] - old[good])
    return {aisle: fmean(drifts) for aisle, drifts in changes.items()}
