function carouselVowels(text, steps) {
  const vowels = text.match(/[aeiou]/gi) ?? [];
  const count = vowels.length;
  let next = 0;
  return text.replace(/[aeiou]/gi, (old) => {
    const vowel = vowels[(((next++ - steps) % count) + count) % count];
    return old === old.toUpperCase() ? vowel.toUpperCase() : vowel.toLowerCase();
  });
}
