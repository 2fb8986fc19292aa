function steadiestSignalRun(word, width) {
  const runs = word.toString(2).padStart(width, "0").match(/0+|1+/g);
  return Math.max(...runs.map((run) => run.length));
}
