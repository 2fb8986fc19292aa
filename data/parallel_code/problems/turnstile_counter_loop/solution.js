function turnstileCounterLoop(start, multiplier, modulus) {
  const shown = [];
  let current = start;
  while (!shown.includes(current)) {
    shown.push(current);
    const reversed = Number([...String(current)].reverse().join(''));
    current = (multiplier * current + reversed) % modulus;
  }
  const tail = shown.indexOf(current);
  return [tail, shown.length - tail];
}
