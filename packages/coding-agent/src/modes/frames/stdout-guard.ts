import type { Console } from "node:console";
import { closeSync, fstatSync, openSync } from "node:fs";
import type { FrameSink } from "./output-queue.ts";

/**
 * Takes stdout for the protocol: the sink it returns is the only way left to it, and what other code prints goes to
 * stderr. One stray byte would merge with the next frame and cost some hosts the connection. To be called before any
 * other code runs and while no file is being opened.
 */
export function guardStdout(): FrameSink {
  // Duplicates the descriptor, so it stays what it is when number 1 is given away below.
  const sink = Bun.file(1).writer({ highWaterMark: 64 * 1024 });
  giveAwayDescriptor();
  redirectConsole();
  // Assigned first, because looking at the original property, as defineProperty does, builds the stream (14 ms).
  Object.assign(process, { stdout: undefined });
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr });
  Object.assign(Bun, { stdout: Bun.stderr });
  return sink;
}

/**
 * For what does not ask JavaScript: `fs.writeSync(1)`, `Bun.file(1)`, native modules, children that inherit it. Where stderr
 * cannot be opened a second time their output is lost, which is better than on the wire.
 */
function giveAwayDescriptor(): void {
  if (process.platform === "win32") return;
  // A second opening of a regular file has a position of its own and would overwrite the log.
  const target = fstatSync(2).isFile() ? "/dev/null" : "/dev/stderr";
  closeSync(1); // the lowest free number is what the next opening gets
  try {
    openSync(target, "a");
  } catch {
    openSync("/dev/null", "a"); // stderr is a socket, as it is under a host written in Node
  }
}

/** Need a formatter of their own; a console over stderr is made when the first of them is called. */
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
      // The signatures differ per method; each gets what its caller passed.
      (formatter()[method] as (...args: unknown[]) => void)(...args);
    };
  }
}
