function tramSignalArrival(distance, signals) {
  const delay = signals.reduce((waited, [position, green, red]) => {
    const phase = (position + waited) % (green + red);
    return phase < green ? waited : waited + green + red - phase;
  }, 0);
  return distance + delay;
}
