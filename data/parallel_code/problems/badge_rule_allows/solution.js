function badgeRuleAllows(rule, badges) {
  const tokens = rule.match(/\w+|\S/g) ?? [];
  const held = new Set(badges);

  const separated = (separator, read) => {
    const results = [read()];
    while (tokens[0] === separator) {
      tokens.shift();
      results.push(read());
    }
    return results;
  };
  const either = () => separated("|", both).some(Boolean);
  const both = () => separated("&", single).every(Boolean);
  const single = () => {
    const token = tokens.shift();
    if (token === "!") {
      return !single();
    }
    if (token === "(") {
      const result = either();
      tokens.shift();
      return result;
    }
    if (/^\d/.test(token)) {
      tokens.splice(0, 2);
      const votes = separated(",", either);
      tokens.shift();
      return votes.filter(Boolean).length >= Number(token);
    }
    return held.has(token);
  };
  return tokens.length === 0 || either();
}
