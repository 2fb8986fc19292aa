function bakeryTillWaits(arrivals, services, tills) {
  const freeAt = new Array(tills).fill(0);
  return arrivals.map((arrival, i) => {
    const till = freeAt.indexOf(Math.min(...freeAt));
    const begin = Math.max(arrival, freeAt[till]);
    freeAt[till] = begin + services[i];
    return begin - arrival;
  });
}
