// Loaded before the tests (bunfig.toml).
import { afterAll } from "bun:test";
import fc from "fast-check";

/** Limits shrinking, which prints nothing until it ends. A slow machine tries fewer cases. */
const MOST_MS = 30_000;
/** Fixed, so that another machine tries the same cases and a failure can be reproduced. */
const SEED = 1;

const { PINTLE_PROPERTY_RUNS: runs, PINTLE_PROPERTY_SEED: seed } = process.env;
fc.configureGlobal({
  seed: seed ? Number(seed) : SEED,
  ...(runs ? {} : { interruptAfterTimeLimit: MOST_MS }),
});

// `bun test` ends without this event, which removes scratch directories and stops servers that a whole run shares.
afterAll(() => {
  process.emit("exit", 0);
});
