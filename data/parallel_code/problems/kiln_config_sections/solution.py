def kiln_config_sections(text: str) -> dict[str, dict[str, str]]:
    sections: dict[str, dict[str, str]] = {}
    current = "base"
    for line in map(str.strip, text.split("\n")):
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            current = line[1:-1].strip()
            sections.setdefault(current, {})
            continue
        entries = sections.setdefault(current, {})
        key, equals, value = map(str.strip, line.partition("="))
        if not equals:
            entries[key] = "on"
        elif key.endswith("+"):
            key = key.removesuffix("+").strip()
            entries[key] = f"{entries.get(key, '')} {value}".strip()
        else:
            entries[key] = value
    return sections
