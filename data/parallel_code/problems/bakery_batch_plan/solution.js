function bakeryBatchPlan(demand, oven, setup, storage) {
  const total = demand.reduce((sum, loaves) => sum + loaves, 0);
  let later = [{ cost: 0, bake: [], stored: [] }];
  for (const loaves of [...demand].reverse()) {
    const plans = [];
    for (let stock = 0; stock <= total; stock++) {
      for (let baked = 0; baked <= oven; baked++) {
        const kept = stock + baked - loaves;
        const rest = later[kept];
        if (!rest) continue;
        const cost = rest.cost + (baked ? setup : 0) + storage * kept;
        if (plans[stock] && plans[stock].cost <= cost) continue;
        plans[stock] = { cost, bake: [baked, ...rest.bake], stored: [kept, ...rest.stored] };
      }
    }
    later = plans;
  }
  const plan = later[0];
  return plan ? { ...plan, cost: [plan.cost] } : { bake: [], stored: [], cost: [] };
}
