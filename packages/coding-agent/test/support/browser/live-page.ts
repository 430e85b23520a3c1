import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type LoopbackServer, type Respond, startLoopbackServer } from "../../../../ai/test/support/loopback-server.ts";
import { ServeProgram } from "../../../../gateway/test/support/serve-program.ts";
import { openPage } from "./browser.ts";

export interface LiveOptions {
  /** What the model answers, one after the other. */
  answers?: readonly Respond[];
  args?: readonly string[];
  settings?: Record<string, unknown>;
  /** Files of the directory that sessions work in, by their paths. */
  files?: Record<string, string>;
  /** The same for pintle's own directory. */
  homeFiles?: Record<string, string>;
}

export interface TabOptions extends BrowserContextOptions {
  /** The id of a session that the page shows; `new` opens one. */
  session?: string;
}

export interface Tab {
  page: Page;
  troubles: string[];
}

/** `pintle serve --web` as users start it, with a model on loopback, for pages in a real browser. */
export class LiveServer {
  readonly program: ServeProgram;
  readonly model: LoopbackServer;
  /** The directory that sessions work in. */
  readonly root: string;
  readonly home: string;

  private constructor(program: ServeProgram, model: LoopbackServer, home: string) {
    this.program = program;
    this.model = model;
    this.root = program.root;
    this.home = home;
  }

  static async start({
    answers = [],
    args = [],
    settings = {},
    files = {},
    homeFiles = {},
  }: LiveOptions = {}): Promise<LiveServer> {
    const model = await startLoopbackServer(...answers);
    // Nobody waits for the end of a run when a test is over.
    const chosen = { defaultProvider: "local", defaultModel: "m", "serve.drainMs": 100 };
    const program = new ServeProgram({ args: ["--web", ...args], settings: { ...chosen, ...settings } });
    // An engine reads these when a session is opened, the server itself never does.
    const home = join(dirname(program.root), ".pintle");
    mkdirSync(home, { recursive: true });
    const models = [
      { id: "m", name: "Local model" },
      { id: "thinker", name: "Thinking model", reasoning: true },
    ];
    const local = { baseUrl: model.url, api: "openai-completions", auth: "none", models };
    writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local } }));
    writeFiles(program.root, files);
    writeFiles(home, homeFiles);
    await program.address();
    return new LiveServer(program, model, home);
  }

  /** The printed address, with another place in the fragment. */
  async address(session?: string): Promise<{ url: string; hash: string }> {
    const { url, token } = await this.program.address();
    return { url: `${url}/`, hash: `#token=${token}${session === undefined ? "" : `&session=${session}`}` };
  }

  /** A page in a context of its own: another browser, for all that the server knows. */
  async tab({ session, ...options }: TabOptions = {}): Promise<Tab> {
    const isNew = session === "new";
    const { url, hash } = await this.address(isNew ? undefined : session);
    const { page, troubles } = await openPage(url, { ...options, hash });
    await page.evaluate(recordNotices);
    if (isNew) await openNewSession(page);
    else if (session !== undefined) await shown(page, session);
    return { page, troubles };
  }

  /** A session that a host opened beside the page; with a prompt it has an answer. */
  async session(params: Record<string, unknown> = {}, prompt?: string): Promise<string> {
    const host = await this.program.connect();
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }
}

function writeFiles(directory: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** Opens a session as a user does and gives its id. */
export async function openNewSession(page: Page): Promise<string> {
  const before = await shownSession(page);
  await page.evaluate(() => document.querySelector<HTMLElement>(".new-button")?.click());
  await page.evaluate(() => document.querySelector<HTMLFormElement>(".new-session")?.requestSubmit());
  await page.waitForFunction(
    (old) => (new URLSearchParams(location.hash.slice(1)).get("session") ?? "") !== old,
    before,
  );
  const session = await shownSession(page);
  await shown(page, session);
  return session;
}

export function shownSession(page: Page): Promise<string> {
  return page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("session") ?? "");
}

/** Waits until the page shows a session and hears it: its model is told with the snapshot. */
export async function shown(page: Page, session: string): Promise<void> {
  await page.waitForFunction(
    (id) =>
      new URLSearchParams(location.hash.slice(1)).get("session") === id &&
      !["", "No model"].includes(document.querySelector(".picker-row:not([hidden]) .picker")?.textContent ?? ""),
    session,
  );
}

/** Runs in the page: a notice is seen for a moment only, and a test may look too late. */
function recordNotices(): void {
  const notice = document.querySelector(".notice") as HTMLElement;
  const notices: string[] = [];
  Object.assign(window, { notices });
  new MutationObserver(() => notices.push(notice.textContent ?? "")).observe(notice, { childList: true });
}

/** Waits until the page has said something, in its line for notices. */
export async function said(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (part) => (Reflect.get(window, "notices") as string[]).some((notice) => notice.includes(part)),
    text,
  );
}

/** Sends a prompt over a connection of its own: the page hears of it as of anything that another host does. */
export async function promptBeside(server: LiveServer, sessionId: string, message: string): Promise<void> {
  const host = await server.program.connect();
  await host.ask({ type: "attach_session", sessionId });
  const { success, error } = await host.ask({ type: "prompt", sessionId, message });
  if (success !== true) throw new Error(String(error));
  host.close();
}
