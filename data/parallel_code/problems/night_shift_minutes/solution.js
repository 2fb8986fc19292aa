function nightShiftMinutes(start, end) {
  const [begun, ended] = [start, end].map((time) => {
    const [hours, minutes] = time.split(":").map(Number);
    return hours * 60 + minutes;
  });
  return ended > begun ? ended - begun : ended - begun + 1440;
}
