import { SUBJECT_NAMES, type SubjectName } from "./subjects.ts";
import { formatCell, isFigure, type Line, ratio } from "./verdict.ts";

const COLOURS: Record<SubjectName, string> = {
  floor: "#8b949e",
  "pintle delta": "#0b7285",
  "pintle full": "#3bc9db",
  pi: "#e8590c",
  "oh-my-pi": "#862e9c",
};

const LABEL_WIDTH = 290;
const BAR_WIDTH = 560;
const BAR = 11;
const GAP = 14;
const TOP = 62;

/**
 * Draws bars in multiples of the floor, on a logarithmic scale: the subjects are up to four orders of magnitude apart.
 */
export function chart(lines: readonly Line[], heading: string): string {
  const shown = lines.filter(({ cells }) => isFigure(cells.floor) && (cells.floor as number) > 0);
  const most = Math.max(10, ...shown.flatMap((line) => ratiosOf(line).map(([, times]) => times)));
  const decades = Math.ceil(Math.log10(most));
  const least = Math.min(1, ...shown.flatMap((line) => ratiosOf(line).map(([, times]) => times)));
  const lowest = Math.floor(Math.log10(least));
  const x = (times: number) => LABEL_WIDTH + (BAR_WIDTH * (Math.log10(times) - lowest)) / (decades - lowest);
  const parts: string[] = [];
  let y = TOP;
  for (const line of shown) {
    const bars = ratiosOf(line);
    parts.push(text(LABEL_WIDTH - 10, y + (bars.length * BAR) / 2 + 4, line.title, 'text-anchor="end"'));
    for (const [name, times] of bars) {
      const width = Math.max(1, x(times) - LABEL_WIDTH);
      parts.push(
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${COLOURS[name]}"/>`,
      );
      const figure = `${formatCell(line.cells[name], line.unit)}`;
      parts.push(text(LABEL_WIDTH + width + 4, y + BAR - 3, figure, 'font-size="9" fill="#57606a"'));
      y += BAR;
    }
    y += GAP;
  }
  const grid = Array.from({ length: decades - lowest + 1 }, (_, n) => 10 ** (n + lowest)).map((times) => {
    const at = x(times).toFixed(1);
    const rule = `<line x1="${at}" y1="${TOP - 8}" x2="${at}" y2="${y - GAP}" stroke="#d0d7de"/>`;
    return rule + text(Number(at), TOP - 12, `${times}×`, 'text-anchor="middle" fill="#57606a"');
  });
  const width = LABEL_WIDTH + BAR_WIDTH + 90;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    text(10, 18, heading, 'font-size="13" font-weight="bold"'),
    legend(),
    ...grid,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

function ratiosOf(line: Line): [SubjectName, number][] {
  return SUBJECT_NAMES.flatMap((name) => {
    const times = ratio(line.cells, name);
    return times === undefined || times <= 0 ? [] : [[name, times] as [SubjectName, number]];
  });
}

function legend(): string {
  return SUBJECT_NAMES.map((name, n) => {
    const x = LABEL_WIDTH + n * 105;
    return `<rect x="${x}" y="24" width="10" height="10" fill="${COLOURS[name]}"/>${text(x + 14, 33, name)}`;
  }).join("");
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const safe = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${safe}</text>`;
}
