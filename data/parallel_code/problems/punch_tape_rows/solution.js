function punchTapeRows(text) {
  return [...text].map((character) =>
    character
      .charCodeAt(0)
      .toString(2)
      .padStart(7, "0")
      .replace(/[01]/g, (bit) => ".O"[bit])
      .replace(/^.../, "$&|"),
  );
}
