import re

NUMBER = re.compile(r"-?\d+(\.\d+)?")


def stock_table_lines(header: list[str], rows: list[list[str]]) -> list[str]:
    columns = list(zip(header, *rows))
    widths = [max(map(len, column)) for column in columns]
    numeric = [bool(rows) and all(map(NUMBER.fullmatch, column[1:])) for column in columns]

    def layout(cells: list[str]) -> str:
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric)
        )
        return "  ".join(aligned).rstrip()

    rule = ["-" * width for width in widths]
    return [layout(line) for line in (header, rule, *rows)]
