function unpackSensorWord(word, widths) {
  let left = word;
  const readings = widths.map((width) => {
    const reading = left & ((1 << width) - 1);
    left >>= width;
    return reading;
  });
  return [...readings, left];
}
