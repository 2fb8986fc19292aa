const operations = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  max: Math.max,
};

function sensorFormulaValues(formulas) {
  const values = new Map();

  const evaluate = (tokens) => {
    const token = tokens.shift();
    if (Object.hasOwn(operations, token)) {
      const left = evaluate(tokens);
      return operations[token](left, evaluate(tokens));
    }
    return /^[a-z]/.test(token) ? valueOf(token) : Number(token);
  };

  const valueOf = (name) => {
    if (!values.has(name)) {
      values.set(name, NaN);
      if (Object.hasOwn(formulas, name)) values.set(name, evaluate(formulas[name].split(' ')));
    }
    return values.get(name);
  };

  const resolved = Object.keys(formulas).map((name) => [name, valueOf(name)]);
  return Object.fromEntries(resolved.filter(([, value]) => !Number.isNaN(value)));
}
