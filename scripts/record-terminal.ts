// Draws docs/images/terminal.svg: the final screen of a real run of the built program with the offline model.
// bun scripts/record-terminal.ts
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Terminal } from "@xterm/headless";

const COLUMNS = 88;
const ROWS = 32;
const CELL = { width: 8.4, height: 18 };
const PADDING = 14;
/** The sixteen colours, for a dark background. */
const PALETTE = ["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0"];
const FOREGROUND = "#d7dae0";
const DIM = "#8a919e";
const root = resolve(import.meta.dir, "..");

const scratch = mkdtempSync(join(tmpdir(), "pintle-recording-"));
const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
let onData = Promise.withResolvers<void>();
const project = join(scratch, "project");
mkdirSync(project);
writeFileSync(join(project, "greet.ts"), "export const greet = (name: string) => name.toUpperCase();\n");
const child = Bun.spawn([join(root, "dist/pintle"), "--model", "pintle/offline", "--no-session"], {
  cwd: project,
  env: { PATH: process.env.PATH ?? "", HOME: scratch, TERM: "xterm-256color", LANG: "C.UTF-8" },
  terminal: {
    cols: COLUMNS,
    rows: ROWS,
    data: (_, data) =>
      terminal.write(data.slice(), () => {
        onData.resolve();
        onData = Promise.withResolvers();
      }),
  },
});
terminal.onData((reply) => child.terminal?.write(reply));

await until((text) => text.includes("? for help"));
await send("list the files then read greet.ts", "✓ read");
await until((text) => !text.includes("working"));
await send("!wc -c greet.ts", "greet.ts\n");
child.terminal?.write("now change @gre");
await until((text) => text.includes("→ greet.ts"));
const svg = draw();
child.kill();
await child.exited;
rmSync(scratch, { recursive: true, force: true });
writeFileSync(join(root, "docs/images/terminal.svg"), svg);

async function send(text: string, shown: string): Promise<void> {
  child.terminal?.write(`${text}\r`);
  await until((screen) => screen.includes(shown));
}

async function until(isSo: (screen: string) => boolean): Promise<void> {
  while (!isSo(screenText())) await onData.promise;
}

function screenText(): string {
  const { active } = terminal.buffer;
  return Array.from(
    { length: ROWS },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
  ).join("\n");
}

function draw(): string {
  const { active } = terminal.buffer;
  const width = COLUMNS * CELL.width + 2 * PADDING;
  const height = ROWS * CELL.height + 2 * PADDING;
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    const cells = Array.from({ length: COLUMNS }, (_, column) => {
      const cell = line?.getCell(column);
      return { column, text: cell?.getChars() || " ", cell };
    });
    const y = PADDING + (row + 0.75) * CELL.height;
    return cells.flatMap(({ column, text, cell }) => {
      if (!cell || (text === " " && !cell.isInverse())) return [];
      const x = PADDING + column * CELL.width;
      const colour = cell.isFgPalette()
        ? (PALETTE[cell.getFgColor() % 8] ?? FOREGROUND)
        : cell.isDim()
          ? DIM
          : FOREGROUND;
      const weight = cell.isBold() ? ' font-weight="bold"' : "";
      if (!cell.isInverse())
        return [`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${colour}"${weight}>${escaped(text)}</text>`];
      const top = (PADDING + row * CELL.height).toFixed(1);
      return [
        `<rect x="${x.toFixed(1)}" y="${top}" width="${CELL.width}" height="${CELL.height}" fill="${FOREGROUND}"/>`,
      ];
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img" aria-label="A session in the terminal">
<rect width="100%" height="100%" rx="8" fill="#1f2329"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
${lines.flat().join("\n")}
</g>
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
