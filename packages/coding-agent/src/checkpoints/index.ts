// Checkpoints of a session: what its tool calls changed in files, and how to revert it. Loaded with the first call that
// may change a file.
export { Checkpoints } from "./checkpoints.ts";
