import heapq


class CoatDesk:
    def __init__(self, hooks: int) -> None:
        self.free = list(range(1, hooks + 1))
        self.hook_of: dict[str, int] = {}

    def bring(self, name: str) -> str:
        if name in self.hook_of:
            return f"already on {self.hook_of[name]}"
        if not self.free:
            return "full"
        self.hook_of[name] = heapq.heappop(self.free)
        return f"hook {self.hook_of[name]}"

    def fetch(self, name: str) -> str:
        if name not in self.hook_of:
            return "no coat"
        hook = self.hook_of.pop(name)
        heapq.heappush(self.free, hook)
        return f"from {hook}"

    def who(self, number: str) -> str:
        names = {hook: name for name, hook in self.hook_of.items()}
        return names.get(int(number), "free")

    def close(self) -> str:
        names = sorted(self.hook_of, key=self.hook_of.__getitem__)
        for name in names:
            self.fetch(name)
        return ",".join(names) or "empty"


def coat_check_desk(hooks: int, operations: list[str]) -> list[str]:
    desk = CoatDesk(hooks)
    methods = {"in": desk.bring, "out": desk.fetch, "who": desk.who, "close": desk.close}
    answers = []
    for operation in operations:
        name, *arguments = operation.split()
        answers.append(methods[name](*arguments))
    return answers
