/** What to do at the exit of the process with answers that are still being read. */
export const ALL_OPEN = new Set<() => void>();

process.on("exit", () => {
  for (const store of ALL_OPEN) store();
});
