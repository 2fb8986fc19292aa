import operator
import re

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def till_tape_total(tape: str) -> float:
    total = 0.0
    for sign, number, percent in re.findall(r"([-+*/]?)([\d.]+)(%?)", tape):
        amount = float(number)
        if percent:
            amount *= (total if sign in "+-" else 1.0) / 100
        total = OPERATIONS[sign or "+"](total, amount)
    return total
