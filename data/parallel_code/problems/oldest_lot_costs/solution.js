function oldestLotCosts(goods, units, prices) {
  const cellar = {};
  goods.forEach((good, i) => {
    const stock = (cellar[good] ??= { lots: [], sold: 0, refused: 0 });
    if (units[i] > 0) {
      stock.lots.push({ left: units[i], price: prices[i] });
      return;
    }
    let wanted = Math.abs(units[i]);
    for (const lot of stock.lots) {
      const taken = Math.min(lot.left, wanted);
      lot.left -= taken;
      wanted -= taken;
      stock.sold += taken * lot.price;
    }
    stock.refused += wanted;
  });

  const summarise = ({ lots, sold, refused }) => {
    const value = lots.reduce((sum, { left, price }) => sum + left * price, 0);
    return [sold, value, refused];
  };
  return Object.fromEntries(
    Object.entries(cellar).map(([good, stock]) => [good, summarise(stock)])
  );
}
