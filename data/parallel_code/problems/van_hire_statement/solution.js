function vanHireStatement(minutes, kilometres, driverAge, missingEighths) {
  const billed = Math.max(minutes, 60);
  const days = Math.floor(billed / 1440);
  const startedDays = Math.ceil(billed / 1440);
  const excess = Math.max(0, kilometres - 150 * startedDays);
  const hours = Math.ceil((billed % 1440) / 60);
  const time = 3200 * (days - Math.floor(days / 7)) + Math.min(3200, 450 * hours);
  const distance = 25 * Math.min(excess, 100) + 18 * Math.max(excess - 100, 0);
  const young = driverAge < 25 ? 900 * Math.min(startedDays, 5) : 0;
  const fuel = 1323 * missingEighths;
  return { time, distance, young_driver: young, fuel, total: time + distance + young + fuel };
}
