def hall_booking_desk(requests: list[list[int]], halls: int, cleaning: int) -> list[int]:
    booked: list[list[tuple[int, int]]] = [[] for _ in range(halls)]

    def find_hall(start: int, end: int) -> int:
        if end <= start:
            return -1
        for hall, bookings in enumerate(booked):
            if all(e + cleaning <= start or end + cleaning <= s for s, e in bookings):
                return hall
        return -1

    assigned = []
    for start, end in requests:
        hall = find_hall(start, end)
        if hall >= 0:
            booked[hall].append((start, end))
        assigned.append(hall)
    return assigned
