import operator
from collections.abc import Iterator

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "max": max}


class Unresolved(Exception):
    pass


class Board:
    def __init__(self, formulas: dict[str, str]) -> None:
        self.formulas = formulas
        self.values: dict[str, int] = {}
        self.pending: set[str] = set()

    def value(self, name: str) -> int:
        if name in self.pending or name not in self.formulas:
            raise Unresolved(name)
        if name not in self.values:
            self.pending.add(name)
            self.values[name] = self.evaluate(iter(self.formulas[name].split()))
            self.pending.remove(name)
        return self.values[name]

    def evaluate(self, tokens: Iterator[str]) -> int:
        token = next(tokens)
        if token in OPERATIONS:
            return OPERATIONS[token](self.evaluate(tokens), self.evaluate(tokens))
        if token.isalpha():
            return self.value(token)
        return int(token)


def sensor_formula_values(formulas: dict[str, str]) -> dict[str, int]:
    board = Board(formulas)
    for name in formulas:
        try:
            board.value(name)
        except Unresolved:
            continue
    return board.values
