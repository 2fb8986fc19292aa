def customs_queue_order(travellers: list[list[str]], precedence: list[str]) -> list[str]:
    rank = {pass_class: place for place, pass_class in enumerate(precedence)}
    served = sorted(travellers, key=lambda traveller: rank.get(traveller[1], len(rank)))
    return [name for name, _ in served]
