import { resolve } from "node:path";
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  client,
  type InitializeResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
  type Stream,
} from "@agentclientprotocol/sdk";
import { PATIENCE_MS } from "../../../gateway/test/support/patience.ts";
import { SchemaCheck } from "./schema-check.ts";

const program = resolve(import.meta.dir, "../../../../dist/pintle");

type Message = Record<string, unknown>;

export interface EditorOptions {
  cwd: string;
  env: Record<string, string>;
  args?: readonly string[];
  capabilities?: ClientCapabilities;
  /** Undefined if the user closes the question. */
  permit?(request: RequestPermissionRequest): string | undefined | Promise<string | undefined>;
  elicit?(request: CreateElicitationRequest): CreateElicitationResponse | Promise<CreateElicitationResponse>;
  /** File contents by path; a missing path cannot be read. */
  files?: Map<string, string>;
}

/** A client built on the official SDK, talking to the built program. Validates every message against the published schema. */
export class AcpEditor implements AsyncDisposable {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly check = new SchemaCheck();
  /** What the program sent, in order. */
  readonly heard: Message[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly elicitations: CreateElicitationRequest[] = [];
  readonly terminals = new Map<string, CreateTerminalRequest>();
  readonly agent: ClientContext;
  stderr = "";
  readonly #options: EditorOptions;
  readonly #close: () => void;
  readonly #waiting = new Set<() => void>();
  #reading: Promise<void> | undefined;
  readonly #running = new Map<string, Bun.Subprocess<"ignore", "pipe", "pipe">>();

  constructor(options: EditorOptions) {
    this.#options = options;
    this.child = Bun.spawn([program, "acp", ...(options.args ?? [])], {
      cwd: options.cwd,
      env: options.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    void this.#readStderr(); // ends with the child
    const connection = this.#app().connect(this.#observed(this.#stream()));
    this.agent = connection.agent;
    this.#close = () => connection.close();
  }

  static async start(options: EditorOptions): Promise<AcpEditor & { initialized: InitializeResponse }> {
    const editor = new AcpEditor(options);
    const initialized = await editor.agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: "test", version: "0" },
    });
    return Object.assign(editor, { initialized });
  }

  open(request: Partial<NewSessionRequest> = {}): Promise<NewSessionResponse> {
    return this.agent.request("session/new", { cwd: this.#options.cwd, mcpServers: [], ...request });
  }

  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<StopReason> {
    const blocks: ContentBlock[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return (await this.agent.request("session/prompt", { sessionId, prompt: blocks })).stopReason;
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify("session/cancel", { sessionId });
  }

  updates(sessionId?: string): SessionUpdate[] {
    return this.heard.flatMap(({ method, params }) => {
      if (method !== "session/update") return [];
      const { sessionId: of, update } = params as { sessionId: string; update: SessionUpdate };
      return sessionId === undefined || of === sessionId ? [update] : [];
    });
  }

  updatesOf<K extends SessionUpdate["sessionUpdate"]>(kind: K, sessionId?: string) {
    return this.updates(sessionId).filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: K }> => update.sessionUpdate === kind,
    );
  }

  /** The text of the agent's messages. */
  text(sessionId?: string): string {
    return this.updatesOf("agent_message_chunk", sessionId)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Resolves when the program has sent something that satisfies the condition. */
  async until(isTrue: () => boolean, what = "it"): Promise<void> {
    if (isTrue()) return;
    await new Promise<void>((done, fail) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const last = this.heard.slice(-5).map((message) => JSON.stringify(message).slice(0, 300));
        fail(new Error(`timed out waiting for ${what}; the last messages were\n${last.join("\n")}\n${this.stderr}`));
      }, PATIENCE_MS);
      const look = () => {
        if (!isTrue()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        done();
      };
      this.#waiting.add(look);
    });
  }

  /** Messages are recorded before they are handled, so what handlers store needs another check. */
  #lookAgain(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Stops reading, until the returned function is called. */
  holdReading(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reading = promise;
    return resolve;
  }

  /** Sends a line that no SDK would write. */
  async writeRaw(line: string): Promise<void> {
    this.child.stdin.write(`${line}\n`);
    await this.child.stdin.flush();
  }

  /** Returns the response to a request that may be invalid in any way; without an id, to the next unreadable line. */
  async ask(request: { id: string | number; method?: unknown; params?: unknown }): Promise<Message> {
    this.check.expectAnswer(request.id, typeof request.method === "string" ? request.method : "_none");
    await this.writeRaw(JSON.stringify({ jsonrpc: "2.0", ...request }));
    const isAnswer = ({ id, method }: Message) => id === request.id && method === undefined;
    await this.until(() => this.heard.some(isAnswer), `the answer to ${String(request.id)}`);
    return this.heard.find(isAnswer)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    this.child.stdin.end();
    for (const command of this.#running.values()) command.kill();
    await this.child.exited;
    if (this.check.faults.length > 0) throw new Error(`against the schema:\n${this.check.faults.join("\n")}`);
  }

  #stream(): Stream {
    const { stdin, stdout } = this.child;
    const output = new WritableStream<Uint8Array>({
      async write(bytes) {
        stdin.write(bytes);
        await stdin.flush();
      },
    });
    return ndJsonStream(output, stdout as ReadableStream<Uint8Array>);
  }

  #observed({ readable, writable }: Stream): Stream {
    const incoming = new TransformStream<AnyMessage, AnyMessage>({
      transform: async (message, controller) => {
        await this.#reading;
        this.check.observe("agent", message as unknown as Message);
        this.heard.push(message as unknown as Message);
        controller.enqueue(message);
        this.#lookAgain();
      },
    });
    const outgoing = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        this.check.observe("client", message as unknown as Message);
        controller.enqueue(message);
      },
    });
    void readable.pipeTo(incoming.writable).catch(() => {}); // ends with the child
    void outgoing.readable.pipeTo(writable).catch(() => {}); // as above
    return { readable: incoming.readable, writable: outgoing.writable };
  }

  #app() {
    const { permit = () => undefined, elicit = () => ({ action: "cancel" }), files = new Map() } = this.#options;
    return client({ name: "test" })
      .onNotification("session/update", () => {})
      .onRequest("session/request_permission", async ({ params }): Promise<RequestPermissionResponse> => {
        this.permissions.push(params);
        this.#lookAgain();
        const optionId = await permit(params);
        return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      })
      .onRequest("elicitation/create", ({ params }) => {
        this.elicitations.push(params);
        this.#lookAgain();
        return elicit(params);
      })
      .onRequest("fs/read_text_file", ({ params: { path } }) => {
        const content = files.get(path);
        if (content === undefined) throw new Error(`${path} is not open`);
        return { content };
      })
      .onRequest("fs/write_text_file", ({ params: { path, content } }) => {
        files.set(path, content);
        return {};
      })
      .onRequest("terminal/create", ({ params }) => {
        const terminalId = `term_${this.terminals.size + 1}`;
        this.terminals.set(terminalId, params);
        const { command, args = [], cwd } = params;
        const running = Bun.spawn([command, ...args], {
          cwd: cwd ?? ".",
          stdin: "ignore",
          stdout: "pipe",
          stderr: "pipe",
        });
        this.#running.set(terminalId, running);
        return { terminalId };
      })
      .onRequest("terminal/wait_for_exit", async ({ params }) => {
        const running = this.#running.get(params.terminalId)!;
        await running.exited;
        const signal = running.signalCode === null ? null : String(running.signalCode);
        return { exitCode: signal === null ? running.exitCode : null, signal };
      })
      .onRequest("terminal/output", async ({ params }) => {
        const running = this.#running.get(params.terminalId)!;
        return { output: await new Response(running.stdout).text(), truncated: false };
      })
      .onRequest("terminal/kill", ({ params }) => {
        this.#running.get(params.terminalId)?.kill("SIGKILL");
        return {};
      })
      .onRequest("terminal/release", ({ params }) => {
        this.#running.delete(params.terminalId);
        return {};
      });
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.child.stderr) this.stderr += decoder.decode(chunk, { stream: true });
  }
}
