import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Respond } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, callsTools, chatPlace } from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { FOCUSED, KEYS, TerminalRun, UNFOCUSED } from "./terminal-run.ts";

export interface TypistReport {
  keys: number;
  pastes: number;
  /** Questions that appeared, because the model requested calls. */
  calls: number;
  /** What the typist deliberately allowed, on a question that was shown with the keyboard focus. */
  chosen: string[];
  /** What was allowed, applied, confirmed or trusted, according to the files. */
  done: string[];
}

/** A typist never pauses this long, so a question cannot take the keyboard focus by itself. */
const PAUSE_MS = 500;
/** After this pause, a key that is not text might reach a question that has taken the keyboard focus. */
const SAFE_GAP_MS = 600;
const WORDS = ["yes", "y", "1", "go on", "allow", "apply it", "2", "trust", "é"];
const PASTES = ["yes\r", "\r", "a\tb\r\n", "\t\r", `${KEYS.down}\r`];

/** Generates numbers from the seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Types, pastes and sends without looking, while the session asks at random moments whether a command may run, an edit may be
 * applied, an extension may do something and the project's code is trusted. Sometimes the typist moves to a question and
 * allows it on purpose. Everything that happens leaves a file.
 */
export async function typeAtRandom(seed: number, durationMs: number): Promise<TypistReport> {
  const random = randomNumbers(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  let calls = 0;
  let isOver = false;
  const respond: Respond = async (response, request, socket) => {
    await Bun.sleep(random() * 250);
    if (isOver) return void response.end();
    calls += 1;
    writeFileSync(join(project, `${calls}.ts`), "foo(1);\n");
    await one([runs, edits, confirms])(calls)(response, request, socket);
  };
  await using chat = await chatPlace(respond);
  const project = join(chat.place.cwd, "project");
  const effects = join(chat.place.cwd, "effects");
  for (const directory of [join(project, ".pintle", "extensions"), effects]) mkdirSync(directory, { recursive: true });
  const home = chat.place.env.PINTLE_HOME as string;
  mkdirSync(join(home, "extensions"), { recursive: true });
  writeFileSync(join(home, "extensions", "confirms.ts"), confirmingExtension(effects));
  writeFileSync(
    join(project, ".pintle", "extensions", "own.ts"),
    `import { writeFileSync } from "node:fs";
     export default () => writeFileSync(${JSON.stringify(join(effects, "trusted"))}, "");`,
  );
  const env = { EFFECTS: effects };
  const settings = [
    "permissions.timeoutMs=1000",
    "resolve.timeoutMs=1000",
    "trust.timeoutMs=1500",
    "permissions.maxDenials=0",
  ];
  const args = [...CHAT, "--permissions", "ask", ...settings.flatMap((setting) => ["--set", setting]), "go"];
  await using run = new TerminalRun(args, { ...chat.place, cwd: project }, { rows: 40, env });

  const report: TypistReport = { keys: 0, pastes: 0, calls: 0, chosen: [], done: [] };
  let typedAt = performance.now();
  const type = (text: string) => {
    run.type(text);
    report.keys += 1;
    typedAt = performance.now();
  };
  const screen = () => run.screen.screen().join("\n");
  const asked = () =>
    [
      ...screen()
        .split(UNFOCUSED)[0]!
        .split(FOCUSED)[0]!
        .matchAll(/\b(?:made-|applied_|confirmed-)\d+/g),
    ].at(-1)?.[0];

  const careless: readonly (() => Promise<void> | void)[] = [
    () => type(one(WORDS)),
    () => type(KEYS.enter),
    () => type(KEYS.enter),
    () => type(KEYS.down),
    () => type(KEYS.up),
    () => type(`${KEYS.down}${KEYS.enter}`),
    () => type(one(["\u007f", "\u0015", "\u001b[D", "?"])),
    () => {
      report.pastes += 1;
      const text = one(PASTES);
      // Not every terminal marks pasted text; text at the beginning shows that it is a paste.
      type(random() < 0.5 ? `\u001b[200~${text}\u001b[201~` : `text${text}`);
    },
  ];
  /** Moves to the question on the screen and allows it. */
  const choose = async () => {
    const before = asked();
    if (before === undefined || !screen().includes(UNFOCUSED)) return;
    type(KEYS.tab);
    const isCalled = () => screen().includes(FOCUSED) && asked() === before;
    for (let tries = 0; tries < 20 && !isCalled(); tries += 1) await Bun.sleep(20);
    if (!isCalled()) return type("x"); // it may come later
    report.chosen.push(before);
    type(KEYS.down);
    await Bun.sleep(20);
    type(KEYS.enter);
    await Bun.sleep(50); // keys that are read together with text are treated as a paste
  };

  const endAt = performance.now() + durationMs;
  while (performance.now() < endAt) {
    await Bun.sleep(random() * PAUSE_MS * random());
    if (performance.now() - typedAt > SAFE_GAP_MS) type("x");
    else if (random() < 0.06) {
      await choose();
      type("x"); // typing text takes the focus back from a question that is still open
    } else await one(careless)();
  }
  isOver = true;
  run.type(KEYS.ctrlC);
  run.type(KEYS.ctrlC);
  if ((await run.exited) !== 0) throw new Error(`The program failed:\n${screen()}`);
  report.calls = calls;
  const applied = readdirSync(project).flatMap((name) => {
    return name.endsWith(".ts") ? (readFileSync(join(project, name), "utf8").match(/applied_\d+/g) ?? []) : [];
  });
  report.done = [...readdirSync(effects), ...applied].sort();
  return report;
}

const runs = (call: number): Respond =>
  callsTools({ name: "bash", args: { command: `touch $EFFECTS/made-${call}` }, id: `c${call}` });

const edits = (call: number): Respond => {
  const ops = [{ pat: "foo($A)", out: `applied_${call}($A)` }];
  return callsTools({ name: "ast_edit", args: { ops, path: `${call}.ts`, lang: "typescript" }, id: `c${call}` });
};

const confirms = (call: number): Respond =>
  callsTools({ name: "confirms", args: { name: `confirmed-${call}` }, id: `c${call}` });

function confirmingExtension(effects: string): string {
  return `import { writeFileSync } from "node:fs";
    export default (pi) => pi.registerTool({
      name: "confirms", label: "confirms", description: "asks",
      parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      async execute(_id, { name }, _signal, _update, ctx) {
        const isConfirmed = await ctx.ui.confirm("Sure?", name, { timeout: 1000 });
        if (isConfirmed) writeFileSync(${JSON.stringify(effects)} + "/" + name, "");
        return { content: [{ type: "text", text: String(isConfirmed) }], details: {} };
      },
    });`;
}
