def kiln_energy_bill(units: int, bands: list[list[int]], standing: int) -> int:
    bill = standing
    for size, price in bands:
        used = min(units, size)
        bill += used * price
        units -= used
    return bill + units * bands[-1][1] if bands else bill
