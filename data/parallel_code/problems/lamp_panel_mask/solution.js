function lampPanelMask(presses) {
  return presses.reduce((mask, lamp) => mask ^ (1 << lamp), 0);
}
