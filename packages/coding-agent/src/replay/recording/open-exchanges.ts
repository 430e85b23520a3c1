/** Stores answers that are still being read when the process exits. */
export const ALL_OPEN = new Set<() => void>();

process.on("exit", () => {
  for (const store of ALL_OPEN) store();
});
