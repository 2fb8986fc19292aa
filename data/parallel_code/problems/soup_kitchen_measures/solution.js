function soupKitchenMeasures(cups, tablespoons, teaspoons, serves, wanted) {
  const amount = 48 * cups + 3 * tablespoons + teaspoons;
  const scaled = Math.floor((2 * amount * wanted + serves) / (2 * serves));
  return [Math.floor(scaled / 48), Math.floor((scaled % 48) / 3), scaled % 3];
}
