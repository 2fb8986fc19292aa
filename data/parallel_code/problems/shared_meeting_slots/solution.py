from itertools import chain


def shared_meeting_slots(
    calendars: list[list[list[int]]], opening: int, closing: int, minimum: int
) -> list[list[int]]:
    slots = []
    free_from = opening
    for start, end in [*sorted(chain.from_iterable(calendars)), [closing, closing]]:
        free_until = min(start, closing)
        if free_until - free_from >= minimum:
            slots.append([free_from, free_until])
        free_from = max(free_from, end)
    return slots
