function redactVisitorLog(text, names) {
  const hidden = new Set(names.map((name) => name.toLowerCase()));
  return text.replace(/[A-Za-z]+/g, (word) =>
    hidden.has(word.toLowerCase()) ? word[0].padEnd(word.length, "*") : word,
  );
}
