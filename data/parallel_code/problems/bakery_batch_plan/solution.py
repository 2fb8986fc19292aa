from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate


@dataclass(frozen=True, order=True)
class Plan:
    cost: int
    bake: tuple[int, ...] = ()

    def preceded_by(self, baked: int, cost: int) -> Plan:
        return Plan(self.cost + cost, (baked, *self.bake))


def bakery_batch_plan(
    demand: list[int], oven: int, setup: int, storage: int
) -> dict[str, list[int]]:
    @cache
    def best(day: int, stock: int) -> Plan | None:
        if day == len(demand):
            return Plan(0)
        due_later = sum(demand[day + 1 :])
        plans = []
        for baked in range(oven + 1):
            kept = stock + baked - demand[day]
            if not 0 <= kept <= due_later:
                continue
            rest = best(day + 1, kept)
            if rest is not None:
                day_cost = (setup if baked else 0) + storage * kept
                plans.append(rest.preceded_by(baked, day_cost))
        return min(plans, default=None)

    plan = best(0, 0)
    if plan is None:
        return {"bake": [], "stored": [], "cost": []}
    surplus = (baked - sold for baked, sold in zip(plan.bake, demand))
    return {
        "bake": list(plan.bake),
        "stored": list(accumulate(surplus)),
        "cost": [plan.cost],
    }
