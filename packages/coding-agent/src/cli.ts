import { logBug } from "@pintle/foundation";
import { main, signalCode } from "./main.ts";

// The process edge: arguments in, exit code out.

/** Kept before modules of users are loaded: for those it is not available. */
const exit = process.exit.bind(process);

/** Aborted with the name of the signal that asked us to end. */
const ending = new AbortController();
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

for (const signal of SIGNALS) {
  process.on(signal, () => {
    if (ending.signal.aborted) exit(signalCode(signal)); // asked twice: no more waiting
    ending.abort(signal);
  });
}

main(process.argv.slice(2), process.env, ending.signal).then(
  (code) => exit(code),
  (error: unknown) => {
    logBug(error);
    exit(1);
  },
);
