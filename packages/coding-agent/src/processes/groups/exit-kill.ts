interface Killable {
  /** Must be synchronous: the event loop is over. */
  killNow(): void;
}

const busy = new Set<Killable>();

/** Asks for `killNow` when this process ends in an orderly way. One listener serves all, and only while it is needed. */
export function killOnExit(owner: Killable): void {
  if (busy.size === 0) process.on("exit", killBusy);
  busy.add(owner);
}

export function cancelKillOnExit(owner: Killable): void {
  busy.delete(owner);
  if (busy.size === 0) process.off("exit", killBusy);
}

function killBusy(): void {
  for (const owner of busy) owner.killNow();
}
