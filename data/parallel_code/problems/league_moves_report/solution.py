def league_moves_report(before: list[str], after: list[str]) -> dict[str, list[str]]:
    former = {player: place for place, player in enumerate(before)}
    gains = {
        player: former[player] - place for place, player in enumerate(after) if player in former
    }

    def players(change: int) -> list[str]:
        moved = [player for player, gain in gains.items() if gain * change > 0]
        return sorted(moved, key=lambda player: -abs(gains[player]))

    return {
        "up": players(1),
        "down": players(-1),
        "same": [player for player, gain in gains.items() if gain == 0],
        "new": [player for player in after if player not in former],
        "gone": [player for player in before if player not in gains],
    }
