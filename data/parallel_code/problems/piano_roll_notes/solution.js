function pianoRollNotes(roll, limit) {
  const notes = [];
  const loops = [];
  let base = 60;
  let skipping = 0;

  for (let place = 0; place < roll.length && notes.length < limit; place++) {
    const [name, argument] = roll[place].split(" ");
    const number = Number(argument);
    if (skipping > 0) {
      skipping += { repeat: 1, end: -1 }[name] ?? 0;
    } else if (name === "play") {
      notes.push(base + number);
    } else if (name === "rest") {
      notes.push(-1);
    } else if (name === "shift") {
      base += number;
    } else if (name === "home") {
      base = 60;
    } else if (name === "repeat" && number === 0) {
      skipping = 1;
    } else if (name === "repeat") {
      loops.push({ start: place, left: number });
    } else if (--loops.at(-1).left > 0) {
      place = loops.at(-1).start;
    } else {
      loops.pop();
    }
  }
  return notes;
}
