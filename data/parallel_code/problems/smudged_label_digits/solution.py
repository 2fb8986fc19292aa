def smudged_label_digits(label: str, weights: list[int], modulus: int) -> list[int]:
    def weighted(text: str) -> int:
        return sum(int(digit) * weight for digit, weight in zip(text, weights))

    return [d for d in range(10) if weighted(label.replace("?", str(d))) % modulus == 0]
