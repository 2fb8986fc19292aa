function rootSystemCode(parents) {
  const code = (branch) => {
    const offshoots = parents.flatMap((parent, i) => (parent === branch ? [code(i)] : []));
    return `(${offshoots.sort().join('')})`;
  };
  return code(parents.indexOf(-1));
}
