from itertools import chain, zip_longest


def braid_ribbon_text(strands: list[str]) -> str:
    return "".join(chain.from_iterable(zip_longest(*strands, fillvalue="")))
