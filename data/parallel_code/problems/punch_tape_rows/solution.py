def punch_tape_rows(text: str) -> list[str]:
    rows = (f"{ord(character):07b}".replace("0", ".").replace("1", "O") for character in text)
    return [f"{row[:3]}|{row[3:]}" for row in rows]
