function customsQueueOrder(travellers, precedence) {
  const named = precedence.map((pass) => travellers.filter(([, held]) => held === pass));
  const others = travellers.filter(([, held]) => !precedence.includes(held));
  return [...named, others].flat().map(([name]) => name);
}
