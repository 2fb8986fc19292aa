function dyeBathSequence(costs, rinse) {
  const cheaper = (a, b) => (b.total < a.total ? b : a);
  const plans = costs.reduceRight(
    (later, row) =>
      row.map((cost, bath) => {
        const followUps = later.map(({ total, baths }) => ({
          total: total + cost + (baths[0] === bath ? 0 : rinse),
          baths: [bath, ...baths],
        }));
        return followUps.length ? followUps.reduce(cheaper) : { total: cost, baths: [bath] };
      }),
    [],
  );
  return plans.length ? plans.reduce(cheaper).baths : [];
}
