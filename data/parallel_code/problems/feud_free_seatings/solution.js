function feudFreeSeatings(guests, feuds) {
  const hostile = (a, b) => feuds.some((feud) => feud.includes(a) && feud.includes(b));
  const seat = (standing, neighbour) => {
    if (standing.length === 0) return [[]];
    return standing
      .filter((guest) => !hostile(neighbour, guest))
      .flatMap((guest) => {
        const others = standing.filter((name) => name !== guest);
        return seat(others, guest).map((bench) => [guest, ...bench]);
      });
  };
  return seat([...guests].sort(), '');
}
