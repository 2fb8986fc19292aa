function tillTapeTotal(tape) {
  const operations = {
    "+": (total, amount) => total + amount,
    "-": (total, amount) => total - amount,
    "*": (total, amount) => total * amount,
    "/": (total, amount) => total / amount,
  };
  const steps = tape.match(/[-+*/]?[\d.]+%?/g) ?? [];
  return steps.reduce((total, step) => {
    const sign = step[0] in operations ? step[0] : "+";
    let amount = parseFloat(step.replace(sign, ""));
    if (step.endsWith("%")) {
      amount *= ("+-".includes(sign) ? total : 1) / 100;
    }
    return operations[sign](total, amount);
  }, 0);
}
