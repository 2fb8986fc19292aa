def rival_club_coaches(clubs: int, rivals: list[list[int]]) -> str:
    foes = [set() for _ in range(clubs)]
    for a, b in rivals:
        foes[a].add(b)
        foes[b].add(a)
    coach = {}

    def seat(club: int, letter: str) -> bool:
        if club in coach:
            return coach[club] == letter
        coach[club] = letter
        other = "B" if letter == "A" else "A"
        return all(seat(foe, other) for foe in foes[club])

    if all(seat(club, "A") for club in range(clubs) if club not in coach):
        return "".join(coach[club] for club in range(clubs))
    return ""
