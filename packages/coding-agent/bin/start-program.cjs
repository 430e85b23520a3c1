// Starts a program in the place of this process: same arguments, stdio, signals and exit code.
const { spawn } = require("node:child_process");
const { accessSync, constants } = require("node:fs");

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function startProgram(program, args) {
  accessSync(program, constants.X_OK); // what cannot be started after this is no error that could be caught
  // Since Node 22.15 and in Bun: this process becomes the program, and nothing of the launcher stays in memory.
  if (process.platform !== "win32" && process.execve) process.execve(program, [program, ...args], process.env);
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) passOn(signal, child);
  child.on("error", (error) => fail(`cannot start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function passOn(signal, child) {
  try {
    process.on(signal, () => child.kill(signal));
  } catch {
    // unknown to this system
  }
}

function fail(message) {
  console.error(`pintle: ${message}`);
  process.exit(1);
}

module.exports = { fail, startProgram };
