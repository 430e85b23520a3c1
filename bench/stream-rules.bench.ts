// Measures what stream rules cost: a session reads an answer of 1 MB in small deltas, from the provider's bytes to its
// listeners, without rules and with 50 of them, in turns in the same run. The goal is at most a tenth of the cost
// without.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StreamModel, streamModel } from "@pintle/ai";
import { compileSafely } from "../packages/coding-agent/src/rules/patterns/safe-pattern.ts";
import { createAgentSession } from "../packages/coding-agent/src/sdk/create-session.ts";
import { printTable } from "./support/table.ts";

const CHARACTERS = 1_000_000;
const DELTA = 16;
const ROUNDS = 15;

const PLAIN = [
  "console\\.log",
  "\\bas any\\b",
  ": any\\b",
  "@ts-ignore",
  "@ts-nocheck",
  "eslint-disable",
  "\\bvar\\s+\\w+\\s*=",
  "\\beval\\(",
  "new Function\\(",
  "innerHTML\\s*=",
  "dangerouslySetInnerHTML",
  "document\\.write",
  "\\balert\\(",
  "Box::leak",
  "\\.unwrap\\(\\)",
  "\\bunsafe\\s*\\{",
  "\\bpanic!\\(",
  "todo!\\(",
  "\\bTODO\\b|\\bFIXME\\b|\\bXXX\\b",
  "git push (-f|--force)",
  "git reset --hard",
  "rm -rf /",
  "chmod 777",
  "curl [^|\\n]*\\| *(ba)?sh",
  "sudo ",
  "npm install (-g|--global)",
  "--no-verify",
  "DROP TABLE",
  "(?i)delete from \\w+;",
  "SELECT \\* FROM",
  "password\\s*=",
  "AKIA[0-9A-Z]{16}",
  "sk-[A-Za-z0-9]{20,}",
  "-----BEGIN [A-Z ]*PRIVATE KEY-----",
  "ghp_[A-Za-z0-9]{36}",
  "import \\* as",
  "export default",
  "require\\(['\"]",
  "from ['\"]lodash['\"]",
  "\\bmoment\\(",
  "setTimeout\\([^,]*, 0\\)",
  "except:\\s*$",
  "except Exception",
  "print\\(",
  "from \\w+ import \\*",
  "time\\.sleep",
  "^\\s*#\\s*type: ignore",
  "(?i)you are absolutely right",
  "(?i)as an ai",
  "[\\u2713\\u2714\\u2705]",
];
const LOOKING = ["catch \\(\\w+\\) \\{\\s*\\}(?!\\s*//)", "console\\.(?!error|warn)\\w+\\("];

const words =
  "const value = await readFile(path, 'utf8'); // the caller checks this\nif (!value.trim()) return undefined;\nfor (const line of value.split(sep)) { total += line.length; }\nThe function reads the file and counts what it holds. ".split(
    " ",
  );

/** Prose and code that no rule matches. */
function sample(): string {
  let text = "";
  for (let n = 0; text.length < CHARACTERS; n += 1) text += `${words[(n * 7919 + (n >> 4)) % words.length]} `;
  return text.slice(0, CHARACTERS);
}

const text = sample();

/** The answer as it arrives over the network, in chunks of about one packet. */
function answerBytes(): Uint8Array[] {
  const events: string[] = [];
  for (let at = 0; at < text.length; at += DELTA) {
    const choices = [{ index: 0, delta: { content: text.slice(at, at + DELTA) }, finish_reason: null }];
    events.push(`data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", model: "m", choices })}\n\n`);
  }
  events.push(`data: ${JSON.stringify({ id: "a", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`);
  const bytes = new TextEncoder().encode(`${events.join("")}data: [DONE]\n\n`);
  return Array.from({ length: Math.ceil(bytes.length / 1400) }, (_, n) => bytes.subarray(n * 1400, (n + 1) * 1400));
}

function replay(chunks: readonly Uint8Array[]): StreamModel {
  const headers = { "content-type": "text/event-stream" };
  const body = () => {
    const rest = chunks.values();
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const { value } = rest.next();
        if (value) controller.enqueue(value);
        else controller.close();
      },
    });
  };
  return (model, context, options) =>
    streamModel(model, context, { ...options, fetch: async () => new Response(body(), { headers }) });
}

function placeWith(conditions: readonly string[], root: string): { cwd: string; home: string } {
  const place = { cwd: mkdtempSync(join(root, "cwd-")), home: mkdtempSync(join(root, "home-")) };
  const directory = join(place.cwd, ".pintle", "rules");
  mkdirSync(directory, { recursive: true });
  for (const [index, condition] of conditions.entries()) {
    const head = `condition: '${condition.replaceAll("'", "''")}'\nscope: [text, thinking, tool]`;
    writeFileSync(join(directory, `rule-${index}.md`), `---\n${head}\n---\nDo not.\n`);
  }
  const models = [{ id: "m", contextWindow: 1_000_000 }];
  const acme = { baseUrl: "http://127.0.0.1:1", api: "openai-completions", apiKey: "k", models };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { acme } }), { mode: 0o600 });
  return place;
}

/** CPU milliseconds of the first answer, including loading the rules, and of the second. */
async function time(chunks: readonly Uint8Array[], conditions: readonly string[]): Promise<number[]> {
  const root = mkdtempSync(join(tmpdir(), "pintle-bench-"));
  const { cwd, home } = placeWith(conditions, root);
  const { session } = await createAgentSession({ cwd, env: { PINTLE_HOME: home }, stream: replay(chunks) });
  let hits = 0;
  session.subscribe(({ type }) => {
    if (type === "ttsr_triggered") hits += 1;
  });
  const times: number[] = [];
  for (const prompt of ["first", "second"]) {
    Bun.gc(true);
    const started = process.cpuUsage();
    await session.prompt(prompt);
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
  }
  if (hits > 0) throw new Error("the sample breaks a rule");
  await session.dispose();
  rmSync(root, { recursive: true, force: true });
  return times;
}

const variants: Record<string, readonly string[]> = {
  "no rules": [],
  "50 rules": PLAIN.slice(0, 50),
  "48 rules, 2 look around": [...PLAIN.slice(0, 48), ...LOOKING],
};
if (PLAIN.length < 50) throw new Error(`only ${PLAIN.length} rules`);
for (const condition of [...PLAIN, ...LOOKING]) compileSafely(condition); // a refused one would cost nothing

const deltas = CHARACTERS / DELTA;
const chunks = answerBytes();
const times = new Map(Object.keys(variants).map((name) => [name, [] as number[][]]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, conditions] of Object.entries(variants)) times.get(name)!.push(await time(chunks, conditions));
}
const rows: (string | number)[][] = [["answer", "rules", "CPU ms", "ns/delta", "against no rules"]];
for (const [answer, label] of ["first", "second"].entries()) {
  // Other work on the machine only adds time, so the best round is the most accurate.
  const best = (name: string) => Math.min(...times.get(name)!.map((round) => round[answer]!));
  for (const name of Object.keys(variants)) {
    const ms = best(name);
    rows.push([label, name, ms.toFixed(0), ((ms / deltas) * 1e6).toFixed(0), (ms / best("no rules")).toFixed(2)]);
  }
}
printTable(rows);
