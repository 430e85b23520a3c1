import { entryOf, filesInStack } from "./imported-files.ts";

let isOn = false;
let isOwnProcess = false;

/**
 * From now on `process.exit` throws when a loaded module calls it itself, at its top level or later: one tool must not end the
 * session of all. Other calls go through. A guard against mistakes, not against malice: there are other ways to
 * end a process.
 */
export function guardExit(): void {
  if (isOn) return;
  isOn = true;
  const exit = process.exit;
  process.exit = (code) => {
    const caller = filesInStack(new Error().stack ?? "")[1];
    if (isRefused(caller)) {
      throw new Error(`process.exit is not available to modules${caller ? ` (called in ${caller})` : ""}`);
    }
    return exit.call(process, code);
  };
}

/**
 * Whether only the program itself may end this process; it has kept the function for itself. In others' processes only
 * modules are refused, as far as they can be told: a function that only returns `process.exit()` leaves no frame in the stack.
 */
export function setOwnProcess(isOwn: boolean): void {
  isOwnProcess = isOwn;
}

function isRefused(caller: string | undefined): boolean {
  return isOwnProcess || (caller !== undefined && entryOf(caller) !== undefined);
}
