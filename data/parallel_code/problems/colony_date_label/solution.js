function colonyDateLabel(day) {
  const pad = (number) => String(number).padStart(2, "0");
  let [year, left] = [1, day];
  for (;;) {
    const length = year % 4 === 0 ? 366 : 365;
    if (left < length) break;
    left -= length;
    year += 1;
  }
  const [month, date] = [Math.floor(left / 28) + 1, (left % 28) + 1];
  return month === 14 ? `Y${year}-F${date}` : `Y${year}-M${pad(month)}-D${pad(date)}`;
}
