def recipe_step_waves(steps: int, needs: list[list[int]]) -> list[list[int]]:
    before = {step: set() for step in range(steps)}
    for first, second in needs:
        before[second].add(first)
    done = set()
    waves = []
    while True:
        wave = [step for step, earlier in before.items() if earlier <= done]
        if not wave:
            return waves
        waves.append(wave)
        done.update(wave)
        for step in wave:
            del before[step]
