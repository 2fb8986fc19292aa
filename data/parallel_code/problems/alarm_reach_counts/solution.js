function alarmReachCounts(alarms, wires) {
  return Array.from({ length: alarms }, (_, first) => {
    const ringing = new Set([first]);
    for (const alarm of ringing) {
      wires.filter(([from]) => from === alarm).forEach(([, to]) => ringing.add(to));
    }
    return ringing.size;
  });
}
