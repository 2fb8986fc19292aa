function choirEchoWords(line) {
  return line.replace(/[aeiou]+[^aeiou ]*(?= |$)/gi, (tail) => `${tail}(${tail.toLowerCase()})`);
}
