// Checkpoints of a session: what its tool calls changed in files, and how to take it back. Loads with the first call that
// may change a file.
export { Checkpoints } from "./checkpoints.ts";
