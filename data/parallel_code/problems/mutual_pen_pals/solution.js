function mutualPenPals(letters) {
  const sent = new Set(letters.map(([sender, receiver]) => `${sender}>${receiver}`));
  const pairs = new Set(
    letters
      .filter(([sender, receiver]) => sender < receiver && sent.has(`${receiver}>${sender}`))
      .map(String),
  );
  return pairs.size;
}
