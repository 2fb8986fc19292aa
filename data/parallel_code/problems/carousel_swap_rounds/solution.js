function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

function carouselSwapRounds(moves) {
  const cycleLengths = moves.map((seat, start) => {
    let length = 1;
    while (seat !== start) {
      seat = moves[seat];
      length++;
    }
    return length;
  });
  return cycleLengths.reduce((rounds, length) => (rounds / gcd(rounds, length)) * length, 1);
}
