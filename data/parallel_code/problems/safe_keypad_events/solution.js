function safeKeypadEvents(code, keys, penalty) {
  const events = [];
  let typed = "";
  let open = false;
  let tries = 0;
  let ignored = 0;

  const enter = () => {
    open = typed === code;
    typed = "";
    tries = open ? 0 : tries + 1;
    if (tries < 3) {
      return open ? "open" : "wrong";
    }
    tries = 0;
    ignored = penalty;
    return "alarm";
  };

  for (const key of keys) {
    if (ignored > 0) {
      ignored--;
    } else if (open && key === "C") {
      open = false;
      events.push("shut");
    } else if (!open && key === "#") {
      events.push(enter());
    } else if (!open) {
      typed = key === "C" ? "" : typed + key;
    }
  }
  return events;
}
