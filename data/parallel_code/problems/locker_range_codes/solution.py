def locker_range_codes(spec: str) -> list[str]:
    codes: list[str] = []
    for item in filter(None, spec.replace(" ", "").split(",")):
        first, _, last = item.partition("..")
        start, stop = int(first[1:]), int((last or first)[1:])
        step = 1 if start <= stop else -1
        width = len(first) - 1
        codes += [f"{first[0]}{n:0{width}d}" for n in range(start, stop + step, step)]
    return codes
