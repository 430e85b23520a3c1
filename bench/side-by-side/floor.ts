// The minimum that each row needs, compiled like the program and writing with fs.writeSync: no session, no checks, no
// merging beyond what one network chunk contained. Everything a row costs beyond this is what the program does for it.
import { closeSync, openSync, readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Call {
  name: string;
  args: string;
}

const TAIL = 50 * 1024;
const url = process.env.FLOOR_MODEL_URL ?? "";
const sessionAt = process.argv.indexOf("--session");
let messages = sessionAt < 0 ? [] : readSession(process.argv[sessionAt + 1]!);
let running: AbortController | undefined;

/** The protocol's state includes the system prompt and the tools; this is as long as pintle's without a project. */
const STATE = {
  systemPrompt: "One line of a system prompt, as long as they are.\n".repeat(40),
  dumpTools: Array.from({ length: 12 }, (_, n) => ({
    name: `tool_${n}`,
    description: "What the tool is for and when to use it. ".repeat(6),
    parameters: {
      type: "object",
      required: ["path"],
      properties: Object.fromEntries(
        ["path", "pattern", "limit", "offset", "mode"].map((name) => [
          name,
          { type: "string", description: "What this parameter means, and its default." },
        ]),
      ),
    },
  })),
};

const say = (text: string) => writeAll(Buffer.from(text));
const answer = (id: string, command: string, data?: object) =>
  say(`${JSON.stringify({ id, type: "response", command, success: true, data })}\n`);

/** Writes to stdout, which may be a full pipe. */
function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: entries of a file that a row wrote
function readSession(file: string): any[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "message");
}

// biome-ignore lint/suspicious/noExplicitAny: one short program
const handlers: Record<string, (frame: any) => void> = {
  get_state: ({ id, brief }) => answer(id, "get_state", { ...(!brief && STATE), messageCount: messages.length }),
  set_auto_retry: ({ id }) => answer(id, "set_auto_retry"),
  new_session({ id }) {
    messages = [];
    answer(id, "new_session");
  },
  switch_session({ id, sessionPath }) {
    messages = readSession(sessionPath);
    answer(id, "switch_session");
  },
  branch({ id, entryId }) {
    const at = messages.findIndex((entry) => entry.id === entryId);
    messages = messages.slice(0, at);
    writeFileSync(temporary("branch"), messages.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    answer(id, "branch");
  },
  export_html({ id, outputPath }) {
    writeFileSync(outputPath, `<script type="application/json">${JSON.stringify(messages)}</script>`);
    answer(id, "export_html");
  },
  async compact({ id }) {
    const text = messages.map(({ message }) => message.content[0].text).join("\n");
    await turn([{ role: "user", content: text }], new AbortController().signal);
    messages = messages.slice(-100);
    answer(id, "compact");
  },
  async bash({ id, command }) {
    answer(id, "bash", { output: await tailOf(command) });
  },
  abort({ id }) {
    running?.abort();
    answer(id, "abort");
  },
  async prompt({ id, message }) {
    answer(id, "prompt");
    running = new AbortController();
    const context: object[] = [...messages.map((entry) => entry.message), { role: "user", content: message }];
    try {
      for (
        let calls = await turn(context, running.signal);
        calls.length > 0;
        calls = await turn(context, running.signal)
      )
        for (const content of await Promise.all(calls.map(({ name, args }) => runTool(name, JSON.parse(args)))))
          context.push({ role: "tool", content });
    } catch (error) {
      if (!running.signal.aborted) throw error;
    }
    say('{"type":"agent_end"}\n');
  },
};

const temporary = (name: string) => join(tmpdir(), `floor-${process.pid}-${name}`);

async function runTool(name: string, args: { path?: string; command?: string }): Promise<string> {
  return name === "read" ? readFileSync(args.path ?? "", "utf8") : tailOf(args.command ?? "");
}

/** Returns the end of the output; all of it goes to a file, as every subject promises. */
async function tailOf(command: string): Promise<string> {
  const path = temporary("output");
  const file = openSync(path, "w");
  let tail = Buffer.alloc(0);
  for await (const chunk of Bun.spawn(["sh", "-c", command]).stdout) {
    writeSync(file, chunk);
    tail = Buffer.from(chunk.length >= TAIL ? chunk.subarray(-TAIL) : Buffer.concat([tail, chunk]).subarray(-TAIL));
  }
  closeSync(file);
  unlinkSync(path);
  return tail.toString();
}

/** Streams one answer of the model: its deltas to stdout, its calls to the caller. */
async function turn(context: object[], signal: AbortSignal): Promise<Call[]> {
  const body = JSON.stringify({ model: "m", stream: true, messages: context });
  const response = await fetch(`${url}/chat/completions`, { method: "POST", body, signal });
  const decoder = new TextDecoder();
  const calls: Call[] = [];
  let rest = "";
  for await (const chunk of response.body!) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    let out = "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const { content, tool_calls } = JSON.parse(line.slice(6)).choices[0].delta;
      if (content)
        out += `${JSON.stringify({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta: content } })}\n`;
      for (const { function: call } of tool_calls ?? []) calls.push({ name: call.name, args: call.arguments });
    }
    if (out !== "") say(out);
  }
  return calls;
}

async function readCommands(): Promise<never> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of Bun.stdin.stream()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const frame = JSON.parse(line);
      handlers[frame.type]?.(frame);
    }
  }
  process.exit(0);
}

await readCommands();
