function seedPacketCounts(order, packets) {
  let best = new Map([[0, { used: 0, counts: [] }]]);
  for (const [size, stock] of [...packets].reverse()) {
    const extended = new Map();
    for (const [filled, { used, counts }] of best) {
      for (let n = 0; n <= stock && filled + n * size <= order; n++) {
        const rival = extended.get(filled + n * size);
        const tie = rival && used + n === rival.used && n > rival.counts[0];
        if (!rival || used + n < rival.used || tie) {
          extended.set(filled + n * size, { used: used + n, counts: [n, ...counts] });
        }
      }
    }
    best = extended;
  }
  return best.get(order)?.counts ?? [];
}
