function shelfRobotMoves(shelf, moves) {
  const boxes = [...shelf];
  const exists = (place) => place >= 0 && place < boxes.length;
  const handlers = [
    (a, b) => (exists(a) || a === boxes.length) && boxes.splice(a, 0, b),
    (a) => exists(a) && boxes.splice(a, 1),
    (a, b) => exists(a) && exists(b) && boxes.splice(b, 0, ...boxes.splice(a, 1)),
    (a, b) => {
      if (!exists(a) || !exists(b) || a > b) return;
      boxes.splice(a, b - a + 1, ...boxes.slice(a, b + 1).reverse());
    },
    (a) => {
      if (a < 0 || boxes.length === 0) return;
      boxes.unshift(...boxes.splice(boxes.length - (a % boxes.length)));
    },
  ];
  for (const [kind, a, b] of moves) handlers[kind]?.(a, b);
  return boxes;
}
