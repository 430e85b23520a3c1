import type { SubjectName } from "./subjects.ts";
import { formatCell, isFigure, type Line } from "./verdict.ts";

/** The rows that the README shows, by title. Each one is something an embedder notices. */
const ROWS: Readonly<Record<string, string>> = {
  "start to first answer": "Start to first answer",
  "idle memory (PSS)": "Idle memory",
  "16k deltas, wall": "Streaming 16,000 deltas",
  "resume of 10k messages to first answer": "Resuming 10,000 messages",
  "one turn with a tool call (read)": "One turn with a tool call",
};

const SUBJECTS: readonly { name: SubjectName; label: string; colour: string }[] = [
  { name: "pintle full", label: "pintle", colour: "#0b7285" },
  { name: "pi", label: "pi", colour: "#e8590c" },
  { name: "oh-my-pi", label: "oh-my-pi", colour: "#862e9c" },
];

// Drawn 360 units wide, so that the text keeps its size on a phone.
const WIDTH = 360;
const BAR_WIDTH = 270;
const BAR = 13;
const TOP = 40;

/** Draws a few rows for readers in a hurry. Each row has its own linear scale: the slowest program fills it. */
export function summaryChart(lines: readonly Line[]): string {
  const parts: string[] = [];
  let y = TOP;
  for (const [title, label] of Object.entries(ROWS)) {
    const line = lines.find((candidate) => candidate.title === title);
    if (!line) throw new Error(`No row is called "${title}".`);
    parts.push(text(8, y + 4, label, 'font-weight="bold"'));
    y += 11;
    const shown = SUBJECTS.flatMap((subject) => {
      const figure = line.cells[subject.name];
      return isFigure(figure) ? [{ ...subject, figure }] : [];
    });
    const slowest = Math.max(...shown.map(({ figure }) => figure));
    for (const { figure, colour } of shown) {
      const width = Math.max(2, (BAR_WIDTH * figure) / slowest);
      parts.push(
        `<rect x="8" y="${y}" width="${width.toFixed(1)}" height="${BAR - 3}" rx="1" fill="${colour}"/>`,
        text(14 + width, y + BAR - 4, formatCell(figure, line.unit), 'font-size="11"'),
      );
      y += BAR;
    }
    y += 16;
  }
  const legend = SUBJECTS.map(({ label, colour }, index) => {
    const x = 8 + index * 70;
    return `<rect x="${x}" y="10" width="10" height="10" rx="1" fill="${colour}"/>${text(x + 14, 19, label)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="Time and memory of pintle, pi and oh-my-pi; shorter bars are better" font-family="sans-serif" font-size="12" fill="#1f2328">`,
    `<rect width="100%" height="100%" rx="6" fill="#ffffff"/>`,
    ...legend,
    text(WIDTH - 8, 19, "shorter is better", 'text-anchor="end" font-size="11"'),
    ...parts,
    "</svg>\n",
  ].join("\n");
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped}</text>`;
}
