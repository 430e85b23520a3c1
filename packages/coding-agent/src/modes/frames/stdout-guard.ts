import type { Console } from "node:console";
import { closeSync, fstatSync, openSync } from "node:fs";
import type { FrameSink } from "./output-queue.ts";

/**
 * Reserves stdout for the protocol. Only the returned sink can write to it, and output of other code goes to stderr: a
 * single stray byte would corrupt the next frame, and some hosts would disconnect. Must be called before any other code
 * runs, while no file is being opened.
 */
export function guardStdout(): FrameSink {
  // Duplicates the descriptor, so that it survives the replacement of number 1 below.
  const sink = Bun.file(1).writer({ highWaterMark: 64 * 1024 });
  giveAwayDescriptor();
  redirectConsole();
  // Assigned first, because defineProperty reads the original property, which builds the stream (14 ms).
  Object.assign(process, { stdout: undefined });
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr });
  Object.assign(Bun, { stdout: Bun.stderr });
  return sink;
}

/**
 * Redirects descriptor 1 for output that bypasses `process.stdout`: `fs.writeSync(1)`, `Bun.file(1)`, native modules, and
 * children that inherit it. If stderr cannot be opened a second time, their output is lost, which is better than corrupting
 * the protocol.
 */
function giveAwayDescriptor(): void {
  if (process.platform === "win32") return;
  // Opening a regular file again gives a separate position, which would overwrite the log.
  const target = fstatSync(2).isFile() ? "/dev/null" : "/dev/stderr";
  closeSync(1); // the next file that is opened gets the lowest free number
  try {
    openSync(target, "a");
  } catch {
    openSync("/dev/null", "a"); // stderr is a socket, as it is under a host written in Node
  }
}

/** Console methods that need their own formatter. A console on stderr is created with the first call. */
const FORMATTED = [
  "assert",
  "clear",
  "count",
  "countReset",
  "dir",
  "dirxml",
  "group",
  "groupCollapsed",
  "groupEnd",
  "table",
  "time",
  "timeEnd",
  "timeLog",
] as const;

function redirectConsole(): void {
  const print = console.error;
  const trace = (...args: unknown[]) => print(...args, `\n${new Error("Trace").stack}`);
  Object.assign(console, { log: print, info: print, debug: print, trace });
  let formatting: Console | undefined;
  const formatter = () => {
    // biome-ignore lint/suspicious/noConsole: the class, for a console that prints to stderr
    formatting ??= new console.Console(process.stderr, process.stderr);
    return formatting;
  };
  for (const method of FORMATTED) {
    console[method] = (...args: unknown[]) => {
      // The signatures differ, so each method receives what its caller passed.
      (formatter()[method] as (...args: unknown[]) => void)(...args);
    };
  }
}
