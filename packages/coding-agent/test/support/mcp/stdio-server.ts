// A server as a child process. Its command line defines its behaviour: --log FILE, --many N, --page N, --faulty, --noise, --silent
// (never answers), --gate FILE (answers once the file exists), --stubborn (ignores signals), --leave (exits at once), --pid-file FILE.
import { appendFileSync, existsSync } from "node:fs";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createTestServer } from "./behaviour.ts";

const argv = process.argv.slice(2);
const has = (flag: string) => argv.includes(flag);
const valueAfter = (flag: string) => argv[argv.indexOf(flag) + 1] as string;
const log = (text: string) => {
  if (has("--log")) appendFileSync(valueAfter("--log"), `${text} ${process.pid}\n`);
};

log("started");
if (has("--leave")) {
  console.error(`nothing to do here, signed ${process.env.SECRET ?? "anonymous"}`);
  process.exit(7);
}
if (has("--stubborn")) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => log(signal));
  setInterval(() => {}, 1_000);
}
if (has("--noise")) {
  process.stdout.write('Welcome!\n{"no":"message"}\n{broken\n\n[1]\n');
}
if (has("--silent")) {
  process.stdin.resume();
  setInterval(() => {}, 1_000);
} else {
  const server = createTestServer({
    ...(has("--many") && { many: Number(valueAfter("--many")) }),
    ...(has("--page") && { pageSize: Number(valueAfter("--page")) }),
    hasFaulty: has("--faulty"),
    onCancelled: () => log("cancelled"),
  });
  process.stdin.on("data", (chunk) => {
    if (String(chunk).includes("notifications/cancelled")) log("asked to stop");
  });
  const open = () => void server.connect(new StdioServerTransport());
  const wait = () => (existsSync(valueAfter("--gate")) ? open() : setTimeout(wait, 10));
  if (has("--gate")) wait();
  else open();
}
