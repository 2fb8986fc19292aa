function rentDueDates(year, month, day, count) {
  const pad = (number, width) => String(number).padStart(width, "0");
  const isLeap = (y) => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const lengths = (y) => [31, isLeap(y) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const weekday = (y, monthIndex, date) => {
    const past = y - 1;
    const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
    const inYear = lengths(y)
      .slice(0, monthIndex)
      .reduce((days, length) => days + length, date - 1);
    return (past * 365 + leapDays + inYear) % 7;
  };
  return Array.from({ length: count }, (_, i) => {
    let y = year + Math.floor((month - 1 + i) / 12);
    let monthIndex = (month - 1 + i) % 12;
    const last = lengths(y)[monthIndex];
    let date = Math.min(day, last);
    const due = weekday(y, monthIndex, date);
    if (due >= 5) date += 7 - due;
    if (date > last) {
      date -= last;
      y += monthIndex === 11 ? 1 : 0;
      monthIndex = (monthIndex + 1) % 12;
    }
    return `${pad(y, 4)}-${pad(monthIndex + 1, 2)}-${pad(date, 2)}`;
  });
}
