import { RpcClosedError, RpcCore, type Transport } from "../../../packages/client/src/core/index.ts";
import { Player, type RecordedLine, scenarioFrom } from "../../../packages/simulator/src/index.ts";
import type { PlaygroundScenario } from "./scenarios.ts";

/** What the host is asked, and the answers that the page offers, by their label. */
export interface Question {
  text: string;
  answers: Readonly<Record<string, unknown>>;
  answer(value: unknown): void;
}

export interface ConversationEvents {
  /** Called when the host or the agent writes a frame. */
  frame(line: RecordedLine): void;
  /** What the client makes of the frames has changed. */
  changed(): void;
}

/** So long the agent waits for the host. */
const PATIENCE_MS = 600_000;

/** A host and an agent in one page: the client of `@pintle/client/core` and the simulator, with every frame in between. */
export class PlaygroundConversation {
  readonly lines: RecordedLine[] = [];
  answer = "";
  question: Question | undefined;
  /** Why the agent is gone. */
  ended: string | undefined;
  readonly #scenario: PlaygroundScenario;
  readonly #events: ConversationEvents;
  #client = new RpcCore();
  #player: Player | undefined;
  #starts = 0;
  #startedAt = 0;

  constructor(scenario: PlaygroundScenario, events: ConversationEvents) {
    this.#scenario = scenario;
    this.#events = events;
  }

  /** Whether the agent can be started again after a crash. */
  get hasNext(): boolean {
    return this.ended !== undefined && this.#starts < this.#scenario.agents.length;
  }

  /** Starts the agent, and connects the client. Resolves when both are ready. */
  async start(): Promise<void> {
    const scenario = this.#scenario.agents[this.#starts];
    if (!scenario) throw new Error("There is no further start in this scenario");
    this.#starts += 1;
    this.#startedAt ||= Date.now();
    this.ended = undefined;
    this.answer = "";
    this.#client = this.#createClient();
    let toHost: (text: string) => void = () => {};
    let closed: (reason?: Error) => void = () => {};
    let isOver = false;
    const player = new Player(scenario, {
      patienceMs: PATIENCE_MS,
      write: (text) => {
        if (isOver) return;
        this.#note("agent", text);
        toHost(text);
      },
      crash: ({ code = 1, stderr = "" }) => {
        isOver = true;
        this.#end(`The agent has exited with code ${code}: ${stderr.trim()}`);
        closed(new RpcClosedError(`The server exited with code ${code}`));
        return new Promise<never>(() => {});
      },
    });
    this.#player = player;
    const transport: Transport = {
      write: (text) => {
        for (const line of text.split("\n").filter((one) => one !== "")) this.send(line);
      },
      onData: (listener) => {
        toHost = listener;
      },
      onClose: (listener) => {
        closed = listener;
      },
    };
    const connected = this.#client.connect(transport);
    player.play().catch((error: unknown) => this.#end(error instanceof Error ? error.message : String(error)));
    await connected;
  }

  /** Writes a line as the host does. */
  send(line: string): void {
    this.#note("host", line);
    this.#player?.receive(line);
  }

  /** A test for `node --test` that plays the agent of this conversation to a real host. */
  toTest(): string {
    const prompts = this.lines.flatMap(({ way, text }) => {
      const frame: unknown = way === "host" ? readJson(text) : undefined;
      return isFrame(frame) && frame.type === "prompt" ? [String(frame.message)] : [];
    });
    const scenario = scenarioFrom(this.lines, this.#scenario.name);
    return `// Save as conversation.test.mjs and run: node --test conversation.test.mjs
import assert from "node:assert";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RpcClient } from "@pintle/client";

const weather = ${TOOL_SOURCE};

const scenario = ${JSON.stringify(scenario, null, 2)};

test(${JSON.stringify(`the host handles: ${this.#scenario.name}`)}, async () => {
  const file = join(mkdtempSync(join(tmpdir(), "conversation-")), "scenario.json");
  writeFileSync(file, JSON.stringify(scenario));
  const client = new RpcClient({ command: ["pintle", "simulate", file], updateMode: "delta", tools: [weather] });
  client.onApproval(() => ({ decision: "allow_once" }));
  client.onPreview(() => "apply");
  client.onUiRequest((request) => (request.method === "select" ? request.options[0] : undefined));
  await client.start();
  const result = await client.promptAndWait(${JSON.stringify(prompts[0] ?? this.#scenario.prompt)});
  assert.equal(result.text, ${JSON.stringify(this.answer)});
  await client.stop();
});
`;
  }

  #createClient(): RpcCore {
    const client = new RpcCore({ updateMode: "delta", tools: [this.#weather()] });
    client.onApproval(({ request }) =>
      this.#ask(`Approval: ${request.title}`, {
        Deny: { decision: "deny" },
        "Allow once": { decision: "allow_once" },
        "Allow for this session": { decision: "allow_session" },
      }),
    );
    client.onPreview(({ label }) => this.#ask(`Preview: ${label}`, { Discard: "discard", Apply: "apply" }));
    client.onUiRequest((request) => {
      if (request.method !== "select") return undefined;
      const choices = request.options.map((option) => [option, option]);
      return this.#ask(request.title, { ...Object.fromEntries(choices), Cancel: { cancelled: true } });
    });
    client.on("message_update", ({ message }) => this.#show(message.content));
    client.on("message_end", ({ message }) => {
      if (message.role === "assistant") this.#show(message.content);
    });
    return client;
  }

  #weather() {
    return {
      name: "weather",
      description: "The weather of a city",
      parameters: { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] },
      execute: async () => {
        const answers = { "4 °C and rain": "4 °C and rain", "21 °C and sun": "21 °C and sun" };
        return { content: [{ type: "text" as const, text: String(await this.#ask("Tool: weather", answers)) }] };
      },
    };
  }

  #show(content: readonly { type: string; text?: string }[]): void {
    const text = content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("");
    if (text === "") return;
    this.answer = text;
    this.#events.changed();
  }

  /** Waits for the answer of the person at the page. */
  #ask<T>(text: string, answers: Readonly<Record<string, T>>): Promise<T> {
    return new Promise((resolve) => {
      this.question = {
        text,
        answers,
        answer: (value) => {
          this.question = undefined;
          this.#events.changed();
          resolve(value as T); // one of the answers above
        },
      };
      this.#events.changed();
    });
  }

  #end(reason: string): void {
    this.ended = reason;
    this.question = undefined;
    this.#events.changed();
  }

  #note(way: RecordedLine["way"], text: string): void {
    const line = { way, text: text.replace(/\n$/, ""), atMs: Date.now() - this.#startedAt };
    this.lines.push(line);
    this.#events.frame(line);
  }
}

const TOOL_SOURCE = `{
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: () => ({ content: [{ type: "text", text: "4 °C and rain" }] }),
}`;

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isFrame(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
