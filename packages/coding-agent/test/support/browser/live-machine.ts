import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { basename, join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { LoopbackServer, Respond } from "../../../../ai/test/support/loopback-server.ts";
import { program } from "../program.ts";
import { type ChatPlace, chatPlace } from "../scenarios/chat-server.ts";
import { type OpenedPage, openPage } from "./browser.ts";

const TOKEN = "a-token-of-the-test-that-is-long-enough-0123456789";
/** Nothing is done by itself that the model on loopback does not expect: another attempt, a summary. */
const SETTINGS = [
  "defaultProvider=local",
  "defaultModel=m",
  "retry.baseDelayMs=600000",
  "compaction.enabled=false",
  "compaction.keepRecentTokens=1",
].flatMap((set) => ["--set", set]);

const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

interface MachineTab extends BrowserContextOptions {
  session?: string;
  /** The entry that the address leads to. */
  entry?: string;
}

/** `pintle serve --web` behind a relay: connections can be cut, and the server killed and started again, at one address. */
export class LiveMachine {
  readonly #place: ChatPlace;
  readonly #relay: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  #server: { port: number; child: Bun.Subprocess } | undefined;

  private constructor(place: ChatPlace, relay: Server) {
    this.#place = place;
    this.#relay = relay;
  }

  static async start(...answers: Respond[]): Promise<LiveMachine> {
    const place = await chatPlace(...answers);
    const models = [{ id: "m", input: ["text", "image"], contextWindow: 200_000, cost: COST }];
    const local = { baseUrl: place.server.url, api: "openai-completions", auth: "none", models };
    writeFileSync(join(place.place.env.PINTLE_HOME as string, "models.json"), JSON.stringify({ providers: { local } }));
    writeFileSync(join(place.place.cwd, "token"), TOKEN, { mode: 0o600 });
    const relay = createServer();
    const machine = new LiveMachine(place, relay);
    relay.on("connection", (near) => machine.#carry(near));
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    await machine.startServer();
    return machine;
  }

  get model(): LoopbackServer {
    return this.#place.server;
  }

  /** Where sessions work. */
  get cwd(): string {
    return this.#place.place.cwd;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#relay.address() as { port: number }).port}/`;
  }

  get token(): string {
    return TOKEN;
  }

  async startServer(): Promise<void> {
    const { cwd, env } = this.#place.place;
    const args = ["--web", "--listen", "127.0.0.1:0", "--token-file", join(cwd, "token"), ...SETTINGS];
    const child = Bun.spawn([program, "serve", ...args], {
      ...{ cwd, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    });
    let text = "";
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/http:\S+\n/.test(text)) break;
    }
    const port = Number(new URL(/http:\S+/.exec(text)?.[0] ?? "").port);
    this.#server = { port, child };
  }

  async killServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.child.kill("SIGKILL");
    await server?.child.exited;
    this.cut();
  }

  /** All connections at once, as a network does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Connections stay, and nothing goes through them; new ones are not answered. */
  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Old connections stay as they are. */
  thaw(): void {
    this.#isFrozen = false;
  }

  /** A session file of another directory, as one of this; its path is a name that the server takes. */
  store(file: string): string {
    const stored = readFileSync(file);
    const end = stored.indexOf("\n");
    const header = { ...JSON.parse(stored.subarray(0, end).toString()), cwd: this.cwd };
    const path = join(this.cwd, basename(file));
    writeFileSync(path, Buffer.concat([Buffer.from(JSON.stringify(header)), stored.subarray(end)]));
    return path;
  }

  async tab({ session, entry, ...options }: MachineTab = {}): Promise<OpenedPage> {
    const place = Object.entries({ session, entry }).flatMap(([name, value]) =>
      value === undefined ? [] : [`&${name}=${encodeURIComponent(value)}`],
    );
    const hash = `#token=${TOKEN}${place.join("")}`;
    return openPage(this.url, { hash, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server?.child.kill("SIGKILL");
    await this.#server?.child.exited;
    this.cut();
    this.#relay.close();
    await this.#place[Symbol.asyncDispose]();
  }

  #carry(near: Socket): void {
    near.on("error", () => {});
    const { port } = this.#server ?? {};
    if (port === undefined || this.#isFrozen) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    this.#sockets.add(near).add(far);
    near.pipe(far).pipe(near);
  }
}

/** Types a message and sends it. */
export async function send(page: Page, message: string): Promise<void> {
  await page.fill("#composer", message);
  await page.press("#composer", "Enter");
}

/** Waits until a finished answer has the text. */
export function answered(page: Page, text: string): Promise<unknown> {
  return page.waitForSelector(`article.assistant:not(.is-writing):has-text(${JSON.stringify(text)})`);
}

/** Waits until nothing is under way. */
export function idle(page: Page): Promise<unknown> {
  return page.waitForFunction(
    () =>
      !document.querySelector(".is-writing, .activity-line:not(.is-over)") &&
      document.querySelector(".send-button")?.textContent === "Send",
  );
}

/** Who says what, as it is read. */
export function conversation(page: Page): Promise<string[]> {
  return page.$$eval("article.entry", (articles) =>
    articles
      .filter((article) => !article.classList.contains("change"))
      .map(
        (article) =>
          `${article.querySelector("h3")?.textContent}: ${article.querySelector(".entry-body")?.textContent}`,
      ),
  );
}

/** The session that the address names. */
export function sessionOf(page: Page): string {
  return new URLSearchParams(new URL(page.url()).hash.slice(1)).get("session") ?? "";
}
