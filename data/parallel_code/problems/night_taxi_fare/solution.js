function nightTaxiFare(segments, night) {
  let cruising = 0;
  let crawling = 0;
  for (const [metres, seconds] of segments) {
    if (metres < 5 * seconds) crawling += seconds;
    else cruising += metres;
  }
  const distance = Math.ceil(Math.max(cruising - 500, 0) / 100);
  const waiting = Math.ceil(crawling / 20);
  const fare = 320 + 20 * distance + 15 * waiting;
  return night ? 10 * Math.ceil(fare / 8) : fare;
}
