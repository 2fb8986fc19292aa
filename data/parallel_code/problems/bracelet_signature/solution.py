def bracelet_signature(beads: str) -> str:
    directions = (beads, beads[::-1])
    readings = (way[i:] + way[:i] for way in directions for i in range(len(beads)))
    return min(readings, default="")
