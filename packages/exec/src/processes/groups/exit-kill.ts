interface Killable {
  /** Must be synchronous: the event loop has ended. */
  killNow(): void;
}

const busy = new Set<Killable>();

/**
 * Calls `killNow` when this process exits normally. One listener serves all owners and exists only while it is needed.
 */
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
