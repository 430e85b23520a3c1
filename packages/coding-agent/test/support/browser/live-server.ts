import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { type LoopbackServer, type Respond, startLoopbackServer } from "../../../../ai/test/support/loopback-server.ts";
import { WebHost } from "../../../../gateway/test/support/web-host.ts";
import { program } from "../program.ts";
import { type OpenedPage, openPage } from "./browser.ts";
import { openNewSession, recordNotices, shown } from "./live-talk.ts";
import { Relay } from "./relay.ts";

export interface LiveOptions {
  /** The model's answers, in order. */
  answers?: readonly Respond[];
  args?: readonly string[];
  settings?: Record<string, unknown>;
  /** Files in the sessions' working directory, by path. */
  files?: Record<string, string>;
  /** Files in pintle's own directory. */
  homeFiles?: Record<string, string>;
}

export interface TabOptions extends BrowserContextOptions {
  /** The id or path of the session that the page shows; `new` opens a new one. */
  session?: string;
  /** The entry that the address leads to. */
  entry?: string;
}

const TOKEN = "a-token-of-the-test-that-is-long-enough-0123456789";
/** When a test ends, no session waits for the end of a run. */
const CHOSEN = { defaultProvider: "local", defaultModel: "m", "serve.drainMs": 100 };
/** Disables automatic actions that the model on loopback does not expect, such as retries and summaries. */
const STILL = { "retry.baseDelayMs": 600_000, "compaction.enabled": false, "compaction.keepRecentTokens": 1 };
const MODELS = [
  {
    id: "m",
    name: "Local model",
    input: ["text", "image"],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  },
  { id: "thinker", name: "Thinking model", reasoning: true },
];

/**
 * Starts `pintle serve --web` as users do, with a model on loopback, for pages in a real browser. The pages connect through
 * a relay, so that connections can be cut, and the server killed and restarted, at one address.
 */
export class LiveServer {
  readonly model: LoopbackServer;
  /** The directory that sessions work in. */
  readonly root: string;
  readonly home: string;
  readonly relay: Relay;
  readonly token = TOKEN;
  readonly #base: string;
  readonly #tokenFile: string;
  readonly #args: readonly string[];
  #child: Bun.Subprocess | undefined;

  private constructor(model: LoopbackServer, relay: Relay, args: readonly string[]) {
    this.#base = scratchPath();
    this.root = join(this.#base, "root");
    this.home = join(this.#base, ".pintle");
    this.model = model;
    this.relay = relay;
    this.#tokenFile = join(this.#base, "token");
    this.#args = ["serve", "--web", "--listen", "127.0.0.1:0", "--token-file", this.#tokenFile, ...args];
    this.changeToken(TOKEN);
    mkdirSync(this.root);
    mkdirSync(this.home);
  }

  static async start({ answers = [], args = [], settings = {}, files = {}, homeFiles = {} }: LiveOptions = {}) {
    const model = await startLoopbackServer(...answers);
    const set = Object.entries({ ...CHOSEN, ...settings }).flatMap(([key, value]) => [
      "--set",
      `${key}=${JSON.stringify(value)}`,
    ]);
    const server = new LiveServer(model, await Relay.start(), [...args, ...set]);
    const local = { baseUrl: model.url, api: "openai-completions", auth: "none", models: MODELS };
    writeFiles(server.home, { "models.json": JSON.stringify({ providers: { local } }), ...homeFiles });
    writeFiles(server.root, files);
    await server.startServer();
    return server;
  }

  /** Starts a server without automatic actions, whose model gives these answers. */
  static answering(...answers: Respond[]): Promise<LiveServer> {
    return LiveServer.start({ answers, settings: STILL });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.relay.port}`;
  }

  get url(): string {
    return `${this.origin}/`;
  }

  /** Without the relay, for measurements. */
  address(session?: string): { url: string; hash: string } {
    return {
      url: `http://127.0.0.1:${this.relay.target}/`,
      hash: this.#hash(session === undefined ? {} : { session }),
    };
  }

  async startServer(): Promise<void> {
    const child = Bun.spawn([program, ...this.#args], {
      cwd: this.root,
      env: { PATH: process.env.PATH ?? "", HOME: this.#base, PINTLE_HOME: this.home },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    this.#child = child;
    let text = "";
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/http:\S+\n/.test(text)) break;
    }
    const address = /http:\S+/.exec(text)?.[0];
    if (address === undefined) throw new Error(`the server does not listen: ${text}`);
    this.relay.target = Number(new URL(address).port);
  }

  async killServer(): Promise<void> {
    this.relay.target = undefined;
    this.#child?.kill("SIGKILL");
    await this.#child?.exited;
    this.relay.cut();
  }

  /** For the next start. */
  changeToken(token: string): void {
    writeFileSync(this.#tokenFile, token, { mode: 0o600 });
  }

  /** Copies a session file from elsewhere as a session of this directory; the server accepts its path as a name. */
  store(file: string): string {
    const stored = readFileSync(file);
    const end = stored.indexOf("\n");
    const header = { ...JSON.parse(stored.subarray(0, end).toString()), cwd: this.root };
    const path = join(this.root, basename(file));
    writeFileSync(path, Buffer.concat([Buffer.from(JSON.stringify(header)), stored.subarray(end)]));
    return path;
  }

  /** Opens a page in a separate context, which to the server is another browser. */
  async tab({ session, entry, ...options }: TabOptions = {}): Promise<OpenedPage> {
    const isNew = session === "new";
    const place = { ...(session !== undefined && !isNew && { session }), ...(entry !== undefined && { entry }) };
    const opened = await openPage(this.url, { ...options, hash: this.#hash(place) });
    await opened.page.evaluate(recordNotices);
    if (isNew) await openNewSession(opened.page);
    else if (session !== undefined && !session.includes("/")) await shown(opened.page, session);
    return opened;
  }

  /** Connects a second host in addition to the page. */
  async connect(): Promise<WebHost> {
    const host = new WebHost(`${this.origin}/ws`, { headers: { authorization: `Bearer ${TOKEN}` } });
    await host.opened;
    await host.next(({ type }) => type === "server_ready");
    return host;
  }

  /** Opens a session from a second host; with a prompt, it contains an answer. */
  async session(params: Record<string, unknown> = {}, prompt?: string): Promise<string> {
    const host = await this.connect();
    const { data, error } = await host.ask({ type: "open_session", ...params });
    const { sessionId } = (data ?? {}) as { sessionId?: string };
    if (sessionId === undefined) throw new Error(`no session: ${String(error)}`);
    if (prompt !== undefined) {
      await host.ask({ type: "prompt", sessionId, message: prompt });
      await host.next(({ type }) => type === "agent_settled");
    }
    host.close();
    return sessionId;
  }

  /** Sends a prompt over a separate connection, as another host would. */
  async promptBeside(sessionId: string, message: string): Promise<void> {
    const host = await this.connect();
    await host.ask({ type: "attach_session", sessionId });
    const { success, error } = await host.ask({ type: "prompt", sessionId, message });
    if (success !== true) throw new Error(String(error));
    host.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.#child?.exited;
    this.relay.stop();
    await this.model[Symbol.asyncDispose]();
    rmSync(this.#base, { recursive: true, force: true });
  }

  #hash(place: Record<string, string>): string {
    return `#${new URLSearchParams({ token: TOKEN, ...place })}`;
  }
}

function writeFiles(directory: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}
