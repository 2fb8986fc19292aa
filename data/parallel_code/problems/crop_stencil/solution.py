def crop_stencil(sheet: list[str]) -> list[str]:
    rows = [r for r, row in enumerate(sheet) if "#" in row]
    columns = [c for c, column in enumerate(zip(*sheet)) if "#" in column]
    if not rows:
        return []
    kept = sheet[rows[0] : rows[-1] + 1]
    return [row[columns[0] : columns[-1] + 1] for row in kept]
