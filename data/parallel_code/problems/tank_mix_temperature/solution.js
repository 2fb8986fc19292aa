function tankMixTemperature(jugs) {
  let litres = 0;
  let heat = 0;
  for (const [volume, degrees] of jugs) {
    litres += volume;
    heat += volume * degrees;
  }
  return litres > 0 ? heat / litres : 0;
}
