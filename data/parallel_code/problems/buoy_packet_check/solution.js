function buoyPacketCheck(payload, key) {
  const shift = (register) => ((register << 1) & 0xff) ^ (register & 0x80 ? key : 0);
  return payload.reduce((register, byte) => {
    let mixed = register ^ byte;
    for (let bit = 0; bit < 8; bit++) mixed = shift(mixed);
    return mixed;
  }, 90);
}
