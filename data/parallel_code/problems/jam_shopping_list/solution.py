def jam_shopping_list(
    recipe: dict[str, int], batches: int, pantry: dict[str, int]
) -> dict[str, int]:
    missing = {item: amount * batches - pantry.get(item, 0) for item, amount in recipe.items()}
    return {item: amount for item, amount in missing.items() if amount > 0}
