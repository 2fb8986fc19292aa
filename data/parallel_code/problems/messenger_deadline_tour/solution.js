function comesFirst(a, b) {
  if (a.minute !== b.minute) return a.minute < b.minute;
  const differing = a.places.findIndex((place, i) => place !== b.places[i]);
  return differing >= 0 && a.places[differing] < b.places[differing];
}

function messengerDeadlineTour(minutes, deadlines) {
  let tours = [{ minute: 0, visited: 1, here: 0, places: [] }];
  for (;;) {
    const longer = new Map();
    for (const { minute, visited, here, places } of tours) {
      deadlines.forEach((deadline, place) => {
        const arrival = minute + minutes[here][place];
        if (visited & (1 << place) || arrival > deadline) return;
        const tour = {
          minute: arrival,
          visited: visited | (1 << place),
          here: place,
          places: [...places, place],
        };
        const key = `${tour.visited}:${place}`;
        if (!longer.has(key) || comesFirst(tour, longer.get(key))) longer.set(key, tour);
      });
    }
    if (longer.size === 0) break;
    tours = [...longer.values()];
  }
  return tours.reduce((best, tour) => (comesFirst(tour, best) ? tour : best)).places;
}
