from itertools import chain, groupby, pairwise


def painted_fence_stripes(length: int, coats: list[list[int]], colours: list[str]) -> list[str]:
    marks = sorted({0, length, *chain.from_iterable(coats)})

    def visible(piece: tuple[int, int]) -> str:
        colour = "bare"
        for (start, end), paint in zip(coats, colours):
            if start <= piece[0] and piece[1] <= end:
                colour = paint
        return colour

    stripes = []
    for colour, group in groupby(pairwise(marks), key=visible):
        pieces = list(group)
        stripes.append(f"{pieces[0][0]}-{pieces[-1][1]} {colour}")
    return stripes
