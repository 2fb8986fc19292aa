def garden_bed_shape(corners: list[list[int]]) -> str:
    first, second, third, fourth = (
        complex(*corners[i]) - complex(*corners[i - 1]) for i in range(4)
    )

    def parallel(a: complex, b: complex) -> bool:
        return (a.conjugate() * b).imag == 0

    pairs = parallel(first, third) + parallel(second, fourth)
    if pairs < 2:
        return "trapezium" if pairs else "irregular"
    upright = (first.conjugate() * second).real == 0
    even = first * first.conjugate() == second * second.conjugate()
    if upright:
        return "square" if even else "rectangle"
    return "rhombus" if even else "parallelogram"
