// Runs between a host and the program and breaks one rule: FAULT names a row of faults.mjs.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { FAULTS } from "./faults.mjs";

const {
  args = (given) => given,
  incoming = (line) => [line],
  outgoing = (frame) => [frame],
  exitCode,
  decode,
} = FAULTS[process.env.FAULT];
const child = spawn(process.env.PROGRAM, args(process.argv.slice(2)), { stdio: ["pipe", "pipe", "inherit"] });

const tell = (frame) => process.stdout.write(`${typeof frame === "string" ? frame : JSON.stringify(frame)}\n`);
const state = { tell, exit: () => process.exit(9) };

createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
  for (const frame of outgoing(JSON.parse(line), state)) tell(frame);
});
child.on("exit", (code) => process.exit(exitCode ?? code ?? 1));

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, decode ? Buffer.from(decode(chunk)) : chunk]);
  for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
    const line = rest.subarray(0, end).toString();
    rest = rest.subarray(end + 1);
    for (const passed of incoming(line, state)) child.stdin.write(`${passed}\n`);
  }
});
process.stdin.on("end", () => child.stdin.end());
