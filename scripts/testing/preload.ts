// Loaded before every test file (bunfig.toml). A limit is there for what hangs, not for what a busy machine does slowly.
import { setDefaultTimeout } from "bun:test";
import fc from "fast-check";

const TEST_MS = 60_000;

setDefaultTimeout(TEST_MS);
// A property that fails is made smaller for as long as it takes, and says nothing before; a slow machine tries fewer cases.
if (!process.env.PINTLE_PROPERTY_RUNS) fc.configureGlobal({ interruptAfterTimeLimit: TEST_MS / 2 });
