def window_sign_reads_both_ways(sign: str) -> bool:
    return set(sign) <= set("AHIMOTUVWXY ") and sign == sign[::-1]
