function coatCheckDesk(hooks, operations) {
  const rail = new Array(hooks).fill("");
  const answers = {
    in(name) {
      if (rail.includes(name)) {
        return `already on ${rail.indexOf(name) + 1}`;
      }
      const free = rail.indexOf("");
      if (free < 0) {
        return "full";
      }
      rail[free] = name;
      return `hook ${free + 1}`;
    },
    out(name) {
      const place = rail.indexOf(name);
      if (place < 0) {
        return "no coat";
      }
      rail[place] = "";
      return `from ${place + 1}`;
    },
    who: (number) => rail[number - 1] || "free",
    close() {
      const names = rail.filter(Boolean).join(",");
      rail.fill("");
      return names || "empty";
    },
  };
  return operations.map((operation) => {
    const [name, argument] = operation.split(" ");
    return answers[name](argument);
  });
}
