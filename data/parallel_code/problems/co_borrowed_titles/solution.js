function coBorrowedTitles(loans) {
  const shelves = loans.map((loan) => new Set(loan));
  const titles = [...new Set(loans.flat())].sort();
  let most = 2;
  let pairs = [];
  titles.forEach((first, i) => {
    for (const second of titles.slice(i + 1)) {
      const count = shelves.filter((shelf) => shelf.has(first) && shelf.has(second)).length;
      if (count > most) [most, pairs] = [count, []];
      if (count === most) pairs.push([first, second]);
    }
  });
  return pairs;
}
