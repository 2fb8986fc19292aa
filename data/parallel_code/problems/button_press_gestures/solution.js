function buttonPressGestures(samples, hold, gap) {
  const gestures = [];
  for (const [, pause, press] of samples.matchAll(/(0*)(1+)/g)) {
    if (press.length >= hold) {
      gestures.push("hold");
    } else if (gestures.at(-1) === "tap" && pause.length <= gap) {
      gestures[gestures.length - 1] = "double";
    } else {
      gestures.push("tap");
    }
  }
  return gestures;
}
