function whiteboardHistory(operations) {
  let versions = [""];
  let current = 0;
  let noted = "";

  const edit = (text) => {
    if (text !== versions[current]) {
      versions = [...versions.slice(0, ++current), text];
    }
  };

  return operations.map((operation) => {
    const [, name, argument] = operation.match(/^(\w+) ?(.*)$/);
    const text = versions[current];
    if (name === "write") {
      edit(text + argument);
    } else if (name === "wipe") {
      edit(text.slice(0, Math.max(0, text.length - Number(argument))));
    } else if (name === "recall") {
      edit(noted);
    } else if (name === "note") {
      noted = text;
    } else if (name === "undo") {
      current = Math.max(0, current - 1);
    } else {
      current = Math.min(versions.length - 1, current + 1);
    }
    return versions[current];
  });
}
