function sharedRadioMinutes(first, second) {
  const covers = (minute) => ([start, end]) => start <= minute && minute < end;
  const day = Array.from({ length: 24 * 60 }, (_, minute) => minute);
  return day.filter((minute) => first.some(covers(minute)) && second.some(covers(minute))).length;
}
