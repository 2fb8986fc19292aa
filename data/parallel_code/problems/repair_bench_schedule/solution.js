function repairBenchSchedule(jobs, benches) {
  const freeFrom = Array(benches).fill(0);
  const plan = [];
  const waiting = jobs.map(([arrival, duration, urgency], job) => ({ job, arrival, duration, urgency }));
  waiting.sort((a, b) => b.urgency - a.urgency || a.arrival - b.arrival || a.job - b.job);
  while (waiting.length > 0) {
    const firstArrival = Math.min(...waiting.map(({ arrival }) => arrival));
    const minute = Math.max(firstArrival, Math.min(...freeFrom));
    const bench = freeFrom.findIndex((free) => free <= minute);
    const position = waiting.findIndex(({ arrival }) => arrival <= minute);
    const [{ job, duration }] = waiting.splice(position, 1);
    plan[job] = [bench, minute];
    freeFrom[bench] = minute + duration;
  }
  return plan;
}
