function lockerRangeCodes(spec) {
  const expand = (item) => {
    const [first, last = first] = item.split("..");
    const digits = first.slice(1);
    const start = Number(digits);
    const distance = Number(last.slice(1)) - start;
    return Array.from({ length: Math.abs(distance) + 1 }, (_, i) => {
      const number = start + Math.sign(distance) * i;
      return first[0] + String(number).padStart(digits.length, "0");
    });
  };
  return spec.replaceAll(" ", "").split(",").filter(Boolean).flatMap(expand);
}
