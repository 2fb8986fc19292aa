def stage_notes_removed(script: str) -> str:
    kept = []
    depth, muted = 0, False
    for character in script:
        if depth or (character == "{" and not muted):
            depth += (character == "{") - (character == "}")
            continue
        muted = character != "\n" and (muted or character == "~")
        if not muted:
            kept.append(character)
    return "".join(kept)
