function stageNotesRemoved(script) {
  let kept = "";
  let depth = 0;
  for (let i = 0; i < script.length; i++) {
    if (depth > 0 || script[i] === "{") {
      depth += { "{": 1, "}": -1 }[script[i]] ?? 0;
    } else if (script[i] === "~") {
      const end = script.indexOf("\n", i);
      i = (end < 0 ? script.length : end) - 1;
    } else {
      kept += script[i];
    }
  }
  return kept;
}
