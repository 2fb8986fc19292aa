import re
from collections import deque


class RuleReader:
    def __init__(self, rule: str, badges: list[str]) -> None:
        self.tokens = deque(re.findall(r"\w+|\S", rule))
        self.badges = badges

    def skip(self, token: str) -> bool:
        found = bool(self.tokens) and self.tokens[0] == token
        if found:
            self.tokens.popleft()
        return found

    def any_of(self) -> bool:
        terms = [self.all_of()]
        while self.skip("|"):
            terms.append(self.all_of())
        return any(terms)

    def all_of(self) -> bool:
        factors = [self.factor()]
        while self.skip("&"):
            factors.append(self.factor())
        return all(factors)

    def factor(self) -> bool:
        if self.skip("!"):
            return not self.factor()
        if self.skip("("):
            return self.bracketed()[0]
        token = self.tokens.popleft()
        if token.isdigit():
            self.skip("of")
            self.skip("(")
            return sum(self.bracketed()) >= int(token)
        return token in self.badges

    def bracketed(self) -> list[bool]:
        votes = [self.any_of()]
        while self.skip(","):
            votes.append(self.any_of())
        self.skip(")")
        return votes


def badge_rule_allows(rule: str, badges: list[str]) -> bool:
    return not rule.strip() or RuleReader(rule, badges).any_of()
