function sidingDepartureOrders(wagons, capacity) {
  const orders = (waiting, siding) => {
    if (!waiting && !siding) return [''];
    const pushed =
      waiting && siding.length < capacity ? orders(waiting.slice(1), siding + waiting[0]) : [];
    if (!siding) return pushed;
    const left = orders(waiting, siding.slice(0, -1)).map((rest) => siding.at(-1) + rest);
    return [...pushed, ...left];
  };
  return orders(wagons, '').sort();
}
