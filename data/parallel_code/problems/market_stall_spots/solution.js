function marketStallSpots(yard, depth, width) {
  const columns = yard.length ? yard[0].length : 0;
  const countSpots = (down, across) => {
    const free = ".".repeat(across);
    let spots = 0;
    for (let top = 0; top + down <= yard.length; top++) {
      const covered = yard.slice(top, top + down);
      for (let left = 0; left + across <= columns; left++) {
        if (covered.every((row) => row.startsWith(free, left))) spots++;
      }
    }
    return spots;
  };
  return countSpots(depth, width) + (depth === width ? 0 : countSpots(width, depth));
}
