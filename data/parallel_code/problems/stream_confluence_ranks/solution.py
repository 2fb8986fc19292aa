def stream_confluence_ranks(downstream: list[int]) -> list[int]:
    ranks = [1] * len(downstream)
    highest = [0] * len(downstream)
    for stream, into in enumerate(downstream):
        if into < 0 or ranks[stream] < highest[into]:
            continue
        if ranks[stream] == highest[into]:
            ranks[into] = highest[into] + 1
        else:
            highest[into] = ranks[stream]
            ranks[into] = max(ranks[into], ranks[stream])
    return ranks
