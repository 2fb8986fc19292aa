from dataclasses import dataclass, field


@dataclass
class Safe:
    code: str
    penalty: int
    typed: str = ""
    is_open: bool = False
    tries: int = 0
    ignored: int = 0
    events: list[str] = field(default_factory=list)

    def press(self, key: str) -> None:
        if self.ignored:
            self.ignored -= 1
        elif self.is_open:
            if key == "C":
                self.is_open = False
                self.events.append("shut")
        elif key == "#":
            self.enter()
        else:
            self.typed = "" if key == "C" else self.typed + key

    def enter(self) -> None:
        if self.typed == self.code:
            self.is_open = True
            self.tries = 0
            self.events.append("open")
        elif self.tries < 2:
            self.tries += 1
            self.events.append("wrong")
        else:
            self.tries = 0
            self.ignored = self.penalty
            self.events.append("alarm")
        self.typed = ""


def safe_keypad_events(code: str, keys: str, penalty: int) -> list[str]:
    safe = Safe(code, penalty)
    for key in keys:
        safe.press(key)
    return safe.events
