def tip_jar_split(cents: int, hours: list[int]) -> list[int]:
    total = sum(hours)
    if total == 0:
        return [0] * len(hours)
    shares = [cents * worked // total for worked in hours]
    order = sorted(range(len(hours)), key=lambda i: -(cents * hours[i] % total))
    for i in order[: cents - sum(shares)]:
        shares[i] += 1
    return shares
