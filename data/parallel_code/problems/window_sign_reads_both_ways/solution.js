function windowSignReadsBothWays(sign) {
  return /^[AHIMOTUVWXY ]*$/.test(sign) && sign === [...sign].reverse().join("");
}
