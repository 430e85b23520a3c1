import { entryOf, filesInStack } from "./imported-files.ts";

let isOn = false;
let isOwnProcess = false;

/**
 * From now on `process.exit` throws if a loaded module calls it directly, at its top level or later, because one tool must not
 * end everyone's session. Other calls pass. This guards against mistakes, not malice: there are other ways to end a process.
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
 * Sets whether only the program itself may end this process, through the original function it kept. In other processes only
 * modules are blocked, as far as they can be identified: a function that only returns `process.exit()` leaves no frame on the
 * stack.
 */
export function setOwnProcess(isOwn: boolean): void {
  isOwnProcess = isOwn;
}

function isRefused(caller: string | undefined): boolean {
  return isOwnProcess || (caller !== undefined && entryOf(caller) !== undefined);
}
