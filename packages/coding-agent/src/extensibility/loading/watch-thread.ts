/** Exit code if the program was ended because it no longer responded. */
const UNRESPONSIVE_EXIT_CODE = 70;

/** Indexes into the memory that both threads share. */
export const ANSWERS = 0;
export const RUNNING = 1;
export const LAST_BEGUN = 2;
export const CELLS = 3;

/**
 * Runs in a separate thread, because nothing else in the process runs while its main thread is in an endless loop. It
 * asks the main thread for a sign of life, and ends the process if none arrives while the processor is busy: waiting
 * for a program, or after the machine was asleep, is not an endless loop. A process that waits without a host is ended
 * too.
 *
 * A string, so that the compiled program needs no second entry; `poll` and `_exit` are resolved only when needed.
 */
export const WATCH_THREAD = `
const fs = require("node:fs");
const LIBRARIES = ["libc.so.6", "libc.so", "libSystem.B.dylib"];
const NEEDED = { _exit: { args: ["i32"], returns: "void" }, poll: { args: ["ptr", "u64", "i32"], returns: "i32" } };
const POLLHUP = 0x10;
const BUSY_SHARE = 4; // a loop may have to share its processor
const names = [];

onmessage = ({ data }) => {
  if (data.memory) watch(new Int32Array(data.memory), data.limitMs);
  else names[data.id] = data.text;
};

function watch(cells, limitMs) {
  let answers;
  let since;
  let cpu;
  setInterval(() => {
    const now = Atomics.load(cells, ${ANSWERS});
    if (now !== answers) {
      answers = now;
      since = performance.now();
      cpu = process.cpuUsage();
      postMessage("alive?");
      return;
    }
    const waited = performance.now() - since;
    if (waited < limitMs) return;
    const { user, system } = process.cpuUsage(cpu);
    if ((user + system) / 1000 >= limitMs / BUSY_SHARE || isHostGone()) end(cells, limitMs);
  }, limitMs / 4);
}

function end(cells, limitMs) {
  const running = names[Atomics.load(cells, ${RUNNING})];
  const last = names[Atomics.load(cells, ${LAST_BEGUN})];
  const what = running ? " while running " + running : last ? "; the last user code to start was " + last : "";
  const leave = () => {
    library()?._exit(${UNRESPONSIVE_EXIT_CODE});
    process.kill(process.pid, "SIGKILL");
  };
  const seconds = limitMs / 1000;
  fs.write(2, "pintle: stopped, because it did not respond for " + seconds + " s" + what + "\\n", leave);
  setTimeout(leave, 500); // stderr may be full
}

function isHostGone() {
  const descriptor = new Int32Array([0, 0]);
  return library()?.poll(descriptor, 1n, 0) === 1 && (descriptor[1] >> 16) & POLLHUP;
}

let symbols;
function library() {
  for (const name of symbols ? [] : LIBRARIES) {
    try {
      symbols ??= require("bun:ffi").dlopen(name, NEEDED).symbols;
    } catch {} // it has another name on this system
  }
  return symbols;
}
`;
