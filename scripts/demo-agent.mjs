// The host's side of the protocol in a few lines: frames out, frames in, responses matched by id.
import { spawn } from "node:child_process";
import { program } from "./paths.mjs";

const PATIENCE_MS = 60_000;

export class DemoAgent {
  #child;
  #frames;
  #startedAt = performance.now();
  #requests = 0;
  #waiting = [];

  constructor({ home, cwd }, args) {
    this.#child = spawn(program, args, {
      cwd,
      env: { ...process.env, PINTLE_HOME: home },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#frames = readFrames(this.#child.stdout);
  }

  age() {
    return Math.round(performance.now() - this.#startedAt);
  }

  writeRaw(text) {
    this.#child.stdin.write(text);
  }

  send(...commands) {
    this.writeRaw(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
  }

  /** Sends a command and returns the data of its response. Calls may overlap: frames for another call stay queued. */
  async call(command) {
    this.#requests += 1;
    const id = `demo_${this.#requests}`;
    this.send({ id, ...command });
    const response = await this.until((frame) => frame.type === "response" && frame.id === id);
    if (!response.success) throw new Error(response.error);
    return response.data;
  }

  /** Returns the next matching frame, or throws if none arrives. Other frames are dropped. */
  until(isWanted) {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        reject(new Error(`no frame for ${PATIENCE_MS / 1000} s: ${isWanted}`));
        void this.kill(); // does not reject
      }, PATIENCE_MS);
      const wanted = (frame) => {
        clearTimeout(limit);
        resolve(frame);
      };
      this.#waiting.push({ isWanted, resolve: wanted, reject });
      if (this.#waiting.length === 1) this.#pump().catch((error) => this.#fail(error));
    });
  }

  /** Resolves when the process is gone. */
  kill() {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    return gone;
  }

  async close() {
    this.#child.stdin.end();
    return new Promise((resolve) => this.#child.on("exit", resolve));
  }

  #fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  async #pump() {
    while (this.#waiting.length > 0) {
      const { value: frame, done } = await this.#frames.next();
      if (done) {
        this.#fail(new Error("pintle ended before the demo did"));
        return;
      }
      this.#waiting = this.#waiting.filter(({ isWanted, resolve }) => !isWanted(frame) || resolve(frame));
    }
  }
}

/** One JSON object per line; LF is the only separator. */
async function* readFrames(stream) {
  let rest = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}
