// Starts a program in the place of this process: same arguments, stdio, signals and exit code.
const { spawn } = require("node:child_process");
const { accessSync, constants } = require("node:fs");
const { isatty } = require("node:tty");

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
/** A terminal sends these to the program as well, and the program takes a second one for impatience. */
const OF_TERMINALS = ["SIGINT", "SIGHUP", "SIGQUIT"];

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function startProgram(program, args) {
  accessSync(program, constants.X_OK); // what cannot be started after this is no error that could be caught
  // Since Node 22.15 and in Bun: this process becomes the program, and nothing of the launcher stays in memory.
  if (process.platform !== "win32" && process.execve) process.execve(program, [program, ...args], process.env);
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of SIGNALS) onSignal(signal, () => (isSentToBoth(signal) ? undefined : child.kill(signal)));
  child.on("error", (error) => fail(`cannot start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function isSentToBoth(signal) {
  return OF_TERMINALS.includes(signal) && isatty(0);
}

function onSignal(signal, act) {
  try {
    process.on(signal, act);
  } catch {
    // unknown to this system
  }
}

function fail(message) {
  console.error(`pintle: ${message}`);
  process.exit(1);
}

module.exports = { fail, startProgram };
