import { entryOf, filesInStack } from "./loaded-modules.ts";

let isOn = false;

/**
 * From now on `process.exit` throws when a loaded module calls it itself, at its top level or later: one tool must not end the
 * session of all. Everybody else's call goes through. A guard against mistakes, not against malice: a function
 * that returns `process.exit()` leaves no frame in the stack, and there are other ways to end a process.
 */
export function guardExit(): void {
  if (isOn) return;
  isOn = true;
  const exit = process.exit;
  process.exit = (code) => {
    const caller = filesInStack(new Error().stack ?? "")[1];
    const entry = caller === undefined ? undefined : entryOf(caller);
    if (entry !== undefined) throw new Error(`process.exit is not available to modules (called in ${caller})`);
    return exit.call(process, code);
  };
}
