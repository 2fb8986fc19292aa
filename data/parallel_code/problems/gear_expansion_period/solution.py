from math import gcd


def gear_expansion_period(teeth: int, base: int) -> list[int]:
    lead = period = 0
    while (shared := gcd(teeth, base)) > 1:
        teeth //= shared
        lead += 1
    power = 1
    while teeth > 1 and (period == 0 or power != 1):
        power = power * base % teeth
        period += 1
    return [lead, period]
