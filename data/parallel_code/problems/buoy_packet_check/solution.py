def buoy_packet_check(payload: list[int], key: int) -> int:
    register = 90
    for byte in payload:
        register ^= byte
        for _ in range(8):
            register <<= 1
            if register & 0x100:
                register ^= 0x100 | key
    return register
