def carousel_vowels(text: str, steps: int) -> str:
    places = [i for i, letter in enumerate(text) if letter in "aeiouAEIOU"]
    turned = list(text)
    for k, place in enumerate(places):
        vowel = text[places[(k - steps) % len(places)]]
        turned[place] = vowel.upper() if text[place].isupper() else vowel.lower()
    return "".join(turned)
