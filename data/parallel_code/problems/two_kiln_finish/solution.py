def two_kiln_finish(hours: list[int]) -> int:
    loads = {0}
    for batch in hours:
        loads |= {load + batch for load in loads}
    return min(max(load, sum(hours) - load) for load in loads)
