def soup_kitchen_measures(
    cups: int, tablespoons: int, teaspoons: int, serves: int, wanted: int
) -> list[int]:
    amount = 48 * cups + 3 * tablespoons + teaspoons
    scaled = (2 * amount * wanted + serves) // (2 * serves)
    return [scaled // 48, scaled % 48 // 3, scaled % 3]
