// Draws docs/images/terminal-*.png: screens of real runs of the built program with a scripted model, at three sizes and on
// two backgrounds. Needs rsvg-convert.
// bun scripts/record-terminal.ts
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Terminal } from "@xterm/headless";
import { sendEvents } from "../packages/ai/test/support/loopback-server.ts";
import { CHAT, callsTools, chatPlace, says } from "../packages/coding-agent/test/support/scenarios/chat-server.ts";

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 20 },
] as const;
const THEMES = {
  dark: { background: "#1a1b26", foreground: "#c8cfea", report: "1a1a/1b1b/2626" },
  light: { background: "#fbfbfd", foreground: "#2b2d3a", report: "fbfb/fbfb/fdfd" },
} as const;
type ThemeName = keyof typeof THEMES;

const CELL = { width: 8.43, height: 18 };
const PADDING = 12;
const DIM = 0.6;
const root = resolve(import.meta.dir, "..");

const SOURCE = `export interface Greeting {
  name: string;
}

/** Returns a greeting. */
export function greet({ name }: Greeting): string {
  return "Hello " + name;
}
`;
const EDIT = {
  path: "src/greet.ts",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the edited source code
  edits: [{ oldText: 'return "Hello " + name;', newText: "return `Hello, ${name}!`;" }],
};
const TEST = `import { expect, test } from "bun:test";
import { greet } from "./greet.ts";

test("greets by name", () => {
  expect(greet({ name: "Ann" })).toBe("Hello, Ann!");
});
`;
const TASKS = ["Read the function", "Use a template string", "Add a test", "Build it"];
/** A todo list with this many tasks done and the next one in progress. */
const todos = (done: number, tasks: readonly string[]) => ({
  todos: tasks.map((content, index) => ({
    content,
    status: index < done ? "completed" : index === done ? "in_progress" : "pending",
  })),
});
const ANSWER = `## What changed

\`greet\` builds its text with a *template string*, and a test covers it.

- [x] **src/greet.ts**: comma and exclamation mark
- [x] **src/greet.test.ts**: new

| file | lines | tests |
|------|------:|------:|
| greet.ts | 8 | 0 |
| greet.test.ts | 6 | 1 |

Use it like this:

\`\`\`ts
import { greet } from "./greet.ts";

// Prints "Hello, Ann!"
for (const name of ["Ann", "Bob"]) console.log(greet({ name }));
\`\`\`
`;
const QUESTION = "rm -rf dist && bun build src/greet.ts --outdir dist";

const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const thinking = (thought: string, text: string) =>
  sendEvents(
    `${chunk({ reasoning_content: thought })}${chunk({ content: text })}data: ${JSON.stringify({
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [{ index: 0, id: "r", function: { name: "read", arguments: '{"path":"src/greet.ts"}' } }],
          },
          finish_reason: "tool_calls",
        },
      ],
    })}\n\ndata: [DONE]\n\n`,
  );

for (const theme of Object.keys(THEMES) as ThemeName[]) {
  for (const size of SIZES) await record(theme, size);
}

async function record(themeName: ThemeName, { columns, rows }: (typeof SIZES)[number]): Promise<void> {
  await using chat = await chatPlace(
    thinking(
      "The function concatenates strings. A template string reads better.",
      "I will look at the function first.",
    ),
    callsTools(
      { name: "todo_write", args: todos(1, TASKS.slice(0, 3)), id: "t" },
      { name: "edit", args: EDIT, id: "e" },
    ),
    callsTools(
      { name: "write", args: { path: "src/greet.test.ts", content: TEST }, id: "w" },
      { name: "todo_write", args: todos(3, TASKS.slice(0, 3)), id: "u" },
    ),
    says(ANSWER),
    callsTools(
      { name: "todo_write", args: todos(3, TASKS), id: "v" },
      { name: "bash", args: { command: QUESTION }, id: "b" },
    ),
    says("Done."),
  );
  const project = join(chat.place.cwd, "greeter");
  mkdirSync(join(project, "src"), { recursive: true });
  mkdirSync(join(project, ".git"));
  writeFileSync(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(project, "src", "greet.ts"), SOURCE);
  await using run = start(
    [
      ...CHAT,
      "--permissions",
      "ask",
      "--set",
      'permissions.rules=[{"effect":"allow","tool":"edit"},{"effect":"allow","tool":"write"}]',
    ],
    {
      project,
      env: chat.place.env,
      themeName,
      columns,
      rows,
    },
  );
  await run.until((text) => text.includes("? for help") || text.includes("· ask"));
  run.type("Use a template string in greet, and test it\r");
  await run.until((text) => text.includes("console.log"));
  await run.until((text) => !text.includes("stops"));
  save(run.draw({ hasCursor: true }), `terminal-${themeName}-${columns}x${rows}`);
  run.type("Now build it\r");
  await run.until((text) => text.includes("allow once"));
  await focus(run);
  save(run.draw({ hasCursor: false }), `terminal-question-${themeName}-${columns}x${rows}`);
}

async function focus(run: Recording): Promise<void> {
  await run.until((text) => /tab (?:answers|returns)/.test(text));
  if (run.text().includes("tab answers")) run.type("\t");
  await run.until((text) => text.includes("tab returns"));
}

interface Recording extends AsyncDisposable {
  type(text: string): void;
  text(): string;
  until(isSo: (text: string) => boolean): Promise<void>;
  /** The headless terminal does not say whether its cursor is hidden. */
  draw(options: { hasCursor: boolean }): string;
}

interface Start {
  project: string;
  env: Record<string, string | undefined>;
  themeName: ThemeName;
  columns: number;
  rows: number;
}

function start(args: readonly string[], { project, env, themeName, columns, rows }: Start): Recording {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true });
  let onData = Promise.withResolvers<void>();
  const child = Bun.spawn([join(root, "dist/pintle"), ...args], {
    cwd: project,
    env: { ...env, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" },
    terminal: {
      cols: columns,
      rows,
      data: (_, data) => {
        // The headless terminal has no colors to report.
        if (Buffer.from(data).includes("\u001b]11;?"))
          child.terminal?.write(`\u001b]11;rgb:${THEMES[themeName].report}\u0007`);
        terminal.write(data.slice(), () => {
          onData.resolve();
          onData = Promise.withResolvers();
        });
      },
    },
  });
  terminal.onData((reply) => child.terminal?.write(reply));
  const text = () => screenText(terminal);
  return {
    type: (typed) => void child.terminal?.write(typed),
    text,
    async until(isSo) {
      while (!isSo(text())) await onData.promise;
    },
    draw: ({ hasCursor }) => draw(terminal, themeName, hasCursor),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function screenText(terminal: Terminal): string {
  const { active } = terminal.buffer;
  return Array.from(
    { length: terminal.rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
  ).join("\n");
}

function save(svg: string, name: string): void {
  const path = join(root, "docs/images", `${name}.svg`);
  writeFileSync(path, svg);
  execFileSync("rsvg-convert", ["--zoom", "1.25", "-o", path.replace(/svg$/, "png"), path]);
  rmSync(path);
  console.log(name);
}

function draw(terminal: Terminal, themeName: ThemeName, hasCursor: boolean): string {
  const { active } = terminal.buffer;
  const { background, foreground } = THEMES[themeName];
  const width = terminal.cols * CELL.width + 2 * PADDING;
  const height = terminal.rows * CELL.height + 2 * PADDING;
  const shapes: string[] = [];
  for (let row = 0; row < terminal.rows; row += 1) {
    const line = active.getLine(active.baseY + row);
    const top = PADDING + row * CELL.height;
    for (let column = 0; column < terminal.cols; column += 1) {
      const cell = line?.getCell(column);
      if (!cell) continue;
      const x = PADDING + column * CELL.width;
      if (!cell.isBgDefault())
        shapes.push(
          `<rect x="${x.toFixed(2)}" y="${top}" width="${CELL.width + 0.3}" height="${CELL.height}" fill="${colour(cell.getBgColor(), cell.isBgRGB())}"/>`,
        );
      const text = cell.getChars();
      if (text === "" || text === " ") continue;
      const fill = cell.isFgDefault() ? foreground : colour(cell.getFgColor(), cell.isFgRGB());
      const look = [
        cell.isBold() ? 'font-weight="bold"' : "",
        cell.isItalic() ? 'font-style="italic"' : "",
        cell.isUnderline() ? 'text-decoration="underline"' : "",
        cell.isDim() ? `opacity="${DIM}"` : "",
      ].join(" ");
      shapes.push(
        `<text x="${x.toFixed(2)}" y="${(top + 0.75 * CELL.height).toFixed(1)}" fill="${fill}" ${look}>${escaped(text)}</text>`,
      );
    }
  }
  if (hasCursor) {
    const [x, y] = [PADDING + active.cursorX * CELL.width, PADDING + active.cursorY * CELL.height];
    shapes.push(`<rect x="${x.toFixed(1)}" y="${y}" width="2" height="${CELL.height}" fill="${foreground}"/>`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${height}">
<rect width="100%" height="100%" fill="${background}"/>
<g font-family="DejaVu Sans Mono" font-size="14">
${shapes.join("\n")}
</g>
</svg>
`;
}

/** The sixteen colors are not drawn: with a known background, the themes use colors of their own. */
function colour(value: number, isRgb: boolean): string {
  return isRgb
    ? `#${value.toString(16).padStart(6, "0")}`
    : ["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0"][value % 8]!;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
