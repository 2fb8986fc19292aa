def tank_mix_temperature(jugs: list[list[float]]) -> float:
    litres = sum(volume for volume, _ in jugs)
    heat = sum(volume * degrees for volume, degrees in jugs)
    return heat / litres if litres else 0.0
