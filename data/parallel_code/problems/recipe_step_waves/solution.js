function recipeStepWaves(steps, needs) {
  let open = Array.from({ length: steps }, (_, step) => step);
  const waves = [];
  while (open.length) {
    const blocked = new Set(needs.filter(([first]) => open.includes(first)).map(([, second]) => second));
    const wave = open.filter((step) => !blocked.has(step));
    if (wave.length === 0) break;
    waves.push(wave);
    open = open.filter((step) => blocked.has(step));
  }
  return waves;
}
