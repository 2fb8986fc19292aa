def ledger_amount_text(cents: int) -> str:
    whole, rest = divmod(abs(cents), 100)
    text = f"{whole:,}.{rest:02d}"
    return f"({text})" if cents < 0 else text
