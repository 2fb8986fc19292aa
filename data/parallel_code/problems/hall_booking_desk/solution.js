function hallBookingDesk(requests, halls, cleaning) {
  const booked = Array.from({ length: halls }, () => []);
  return requests.map(([start, end]) => {
    if (end <= start) return -1;
    const hall = booked.findIndex((bookings) =>
      bookings.every(([from, until]) => until + cleaning <= start || end + cleaning <= from)
    );
    booked[hall]?.push([start, end]);
    return hall;
  });
}
