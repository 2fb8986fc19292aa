function seedDrawerTag(name) {
  return name
    .split(" ")
    .filter(Boolean)
    .map((word) => word[0].toUpperCase() + word.slice(1, 3).toLowerCase())
    .join("");
}
