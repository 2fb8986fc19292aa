def lamp_panel_mask(presses: list[int]) -> int:
    mask = 0
    for lamp in presses:
        mask ^= 1 << lamp
    return mask
