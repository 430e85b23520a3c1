// Loaded before the tests (bunfig.toml).
import fc from "fast-check";

/** A property that fails is made smaller for as long as it takes, and says nothing before; a slow machine tries fewer cases. */
const MOST_MS = 30_000;

if (!process.env.PINTLE_PROPERTY_RUNS) fc.configureGlobal({ interruptAfterTimeLimit: MOST_MS });
