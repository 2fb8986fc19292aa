def volunteer_skill_index(roster: dict[str, list[str]]) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for volunteer, skills in sorted(roster.items()):
        for skill in set(skills):
            index.setdefault(skill, []).append(volunteer)
    return index
