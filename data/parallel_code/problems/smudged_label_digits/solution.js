function smudgedLabelDigits(label, weights, modulus) {
  return Array.from('0123456789', Number).filter((candidate) => {
    const digits = [...label].map((c) => (c === '?' ? candidate : Number(c)));
    return digits.reduce((sum, digit, i) => sum + digit * weights[i], 0) % modulus === 0;
  });
}
