function rotaShiftMatch(printed, current) {
  if (printed.length !== current.length) return -1;
  if (printed.length === 0) return 0;
  return printed.findIndex((_, shift) =>
    current.every((name, i) => name === printed[(i + shift) % printed.length])
  );
}
