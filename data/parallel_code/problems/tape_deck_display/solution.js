function tapeDeckDisplay(commands, length) {
  let mode = "STOP";
  let resume = "STOP";
  let position = 0;
  return commands.map((command) => {
    const [name, seconds] = command.split(" ");
    const running = mode === "PLAY" || mode === "REC";
    const canStart = position < length;
    if (name === "stop") {
      mode = "STOP";
    } else if (name === "pause" && running) {
      [mode, resume] = ["PAUSE", mode];
    } else if (name === "pause" && mode === "PAUSE") {
      mode = resume;
    } else if (name === "play" && !running && canStart) {
      mode = "PLAY";
    } else if (name === "record" && mode === "STOP" && canStart) {
      mode = "REC";
    } else if (name === "rewind" && mode === "STOP") {
      position = 0;
    } else if (name === "wait" && running) {
      position = Math.min(length, position + Number(seconds));
      mode = position === length ? "STOP" : mode;
    }
    return `${mode} ${String(position).padStart(4, "0")}`;
  });
}
