class Whiteboard:
    def __init__(self) -> None:
        self.text = ""
        self.noted = ""
        self.earlier: list[str] = []
        self.later: list[str] = []

    def edit(self, text: str) -> None:
        if text != self.text:
            self.earlier.append(self.text)
            self.later.clear()
            self.text = text

    def travel(self, source: list[str], target: list[str]) -> None:
        if source:
            target.append(self.text)
            self.text = source.pop()

    def perform(self, operation: str) -> str:
        name, _, argument = operation.partition(" ")
        match name:
            case "write":
                self.edit(self.text + argument)
            case "wipe":
                self.edit(self.text[: max(0, len(self.text) - int(argument))])
            case "recall":
                self.edit(self.noted)
            case "note":
                self.noted = self.text
            case "undo":
                self.travel(self.earlier, self.later)
            case "redo":
                self.travel(self.later, self.earlier)
        return self.text


def whiteboard_history(operations: list[str]) -> list[str]:
    board = Whiteboard()
    return [board.perform(operation) for operation in operations]
