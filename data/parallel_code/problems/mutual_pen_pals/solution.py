def mutual_pen_pals(letters: list[list[int]]) -> int:
    sent = {(sender, receiver) for sender, receiver in letters}
    return sum(sender < receiver and (receiver, sender) in sent for sender, receiver in sent)
