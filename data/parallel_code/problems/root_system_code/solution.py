def root_system_code(parents: list[int]) -> str:
    def codes(parent: int) -> list[str]:
        return sorted(f"({''.join(codes(i))})" for i, p in enumerate(parents) if p == parent)

    return codes(-1)[0]
