def prepaid_meter_readings(operations: list[str]) -> list[int]:
    balance, floor, rate = 0, 0, 30
    readings = []
    for operation in operations:
        match operation.split():
            case ["day"]:
                rate = 30
            case ["night"]:
                rate = 18
            case ["lend"] if balance < 200:
                floor = -500
            case ["pay", cents]:
                balance += int(cents)
                if balance >= 0:
                    floor = 0
            case ["use", units]:
                balance -= rate * min(int(units), (balance - floor) // rate)
        readings.append(balance)
    return readings
