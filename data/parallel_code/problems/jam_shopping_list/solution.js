function jamShoppingList(recipe, batches, pantry) {
  const missing = Object.entries(recipe).map(([item, amount]) => [
    item,
    amount * batches - (pantry[item] ?? 0),
  ]);
  return Object.fromEntries(missing.filter(([, amount]) => amount > 0));
}
