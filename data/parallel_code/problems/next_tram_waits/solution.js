function nextTramWaits(departures, arrivals) {
  const day = 24 * 60;
  return arrivals.map((arrival) => {
    if (departures.length === 0) return -1;
    const next = departures.find((departure) => departure >= arrival) ?? departures[0] + day;
    return next - arrival;
  });
}
