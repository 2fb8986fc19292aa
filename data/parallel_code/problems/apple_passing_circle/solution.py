def apple_passing_circle(apples: list[int], rounds: int) -> list[int]:
    for _ in range(rounds):
        passed = [held // 2 for held in apples]
        apples = [held - passed[i] + passed[i - 1] for i, held in enumerate(apples)]
    return apples
