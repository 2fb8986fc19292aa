def manifest_fields(line: str) -> list[str]:
    fields = [""]
    quoted = False
    position = 0
    while position < len(line):
        char = line[position]
        if quoted and line.startswith("''", position):
            fields[-1] += "'"
            position += 1
        elif char == "'":
            quoted = not quoted
        elif char == ";" and not quoted:
            fields.append("")
        else:
            fields[-1] += char
        position += 1
    return fields
