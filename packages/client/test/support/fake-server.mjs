// A faulty server for tests of the client: `fake-server.mjs <behavior>`. Runs under Node and Bun.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const ready = {
  type: "ready",
  version: "0.0.0",
  protocolVersion: 1,
  supportedProtocolVersions: [1],
  sessionId: "fake",
  trust: "none",
  capabilities: [],
};

const say = (frame, then) => process.stdout.write(`${JSON.stringify(frame)}\n`, then);
const ok = ({ id, type }, data = {}) => ({ type: "response", id, command: type, success: true, data });

function onCommand(listener) {
  createInterface({ input: process.stdin }).on("line", (line) => listener(JSON.parse(line)));
}

/** Answers everything by echoing the request. */
function normal() {
  say(ready);
  onCommand((command) => say(ok(command, { ...command, args: process.argv.slice(3) })));
}

const behaviours = {
  normal,
  /** Never sends ready. */
  silent() {
    console.error("thinking hard");
    process.stdin.resume();
  },
  "dies-early"() {
    console.error("bad config");
    process.exitCode = 3;
  },
  /** Never reads its input. */
  "dies-at-once"() {
    say(ready, () => setTimeout(() => process.exit(6), 100));
  },
  "dies-in-mid-line"() {
    say(ready);
    console.error("x".repeat(5000));
    onCommand((command) => {
      const line = JSON.stringify(ok(command));
      process.stdout.write(line.slice(0, line.length / 2), () => {
        console.error("out of memory");
        process.exit(4);
      });
    });
  },
  garbage() {
    process.stdout.write("Loading plugins...\n");
    say(ready);
    onCommand((command) => {
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
      process.stdout.write("\u001b[1mwarning\u001b[0m\r\n\n\n");
      say(ok(command));
    });
  },
  /** Ignores the end of stdin and SIGTERM. */
  stubborn() {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    normal();
  },
  /** Ignores the end of stdin. */
  deaf() {
    setInterval(() => {}, 1000);
    normal();
  },
  /** Dies while a grandchild holds its stdout open. */
  "leaves-child"() {
    say(ready);
    onCommand(() => {
      const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 20000)"], {
        stdio: ["ignore", "inherit", "inherit"],
      });
      child.unref();
      console.error(`grandchild ${child.pid}`);
      child.once("spawn", () => process.exit(5));
    });
  },
  /** Answers in pairs, the later one first, each twice. */
  "out-of-order"() {
    say(ready);
    const waiting = [];
    onCommand((command) => {
      waiting.push(command);
      if (waiting.length < 2) return;
      const [first, second] = waiting.splice(0);
      for (const each of [second, second, first, first]) say(ok(each, { message: each.message }));
    });
  },
  huge() {
    say(ready);
    onCommand((command) => say(ok(command, { text: "é".repeat(32 * 1024 * 1024) })));
  },
  /** Reports how many bytes arrived, some time after the last of them. */
  counts() {
    say(ready);
    let bytes = 0;
    process.stdin.on("data", (chunk) => {
      bytes += chunk.length;
      if (chunk.at(-1) === 0x0a) say({ type: "notice", level: "info", message: String(bytes) });
    });
  },
};

behaviours[process.argv[2]]();
