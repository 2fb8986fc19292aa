from dataclasses import dataclass
from enum import Enum


class Mode(Enum):
    STOPPED = "STOP"
    PLAYING = "PLAY"
    RECORDING = "REC"
    PAUSED = "PAUSE"


@dataclass
class TapeDeck:
    length: int
    position: int = 0
    mode: Mode = Mode.STOPPED
    resume: Mode = Mode.STOPPED

    @property
    def at_end(self) -> bool:
        return self.position == self.length

    @property
    def display(self) -> str:
        return f"{self.mode.value} {self.position:04d}"

    def handle(self, command: str) -> None:
        match command.split(), self.mode:
            case ["play"], Mode.STOPPED | Mode.PAUSED if not self.at_end:
                self.mode = Mode.PLAYING
            case ["record"], Mode.STOPPED if not self.at_end:
                self.mode = Mode.RECORDING
            case ["pause"], Mode.PLAYING | Mode.RECORDING:
                self.mode, self.resume = Mode.PAUSED, self.mode
            case ["pause"], Mode.PAUSED:
                self.mode = self.resume
            case ["stop"], _:
                self.mode = Mode.STOPPED
            case ["rewind"], Mode.STOPPED:
                self.position = 0
            case ["wait", seconds], Mode.PLAYING | Mode.RECORDING:
                self.position = min(self.length, self.position + int(seconds))
                if self.at_end:
                    self.mode = Mode.STOPPED


def tape_deck_display(commands: list[str], length: int) -> list[str]:
    deck = TapeDeck(length)
    displays = []
    for command in commands:
        deck.handle(command)
        displays.append(deck.display)
    return displays
