import { isRecord } from "@pintle/ai";

interface Cell {
  cell_type?: unknown;
  source?: unknown;
  outputs?: unknown;
}

interface Output {
  output_type?: unknown;
  text?: unknown;
  data?: unknown;
  ename?: unknown;
  evalue?: unknown;
  traceback?: unknown;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: tracebacks are colored
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Returns the cells of a notebook and their outputs as text, or undefined if it is not a notebook. */
export function notebookText(json: string): string | undefined {
  const cells = cellsOf(json);
  if (!cells) return undefined;
  if (cells.length === 0) return "[The notebook has no cells.]\n";
  return `${cells.map((cell, index) => cellText(cell, index + 1)).join("\n\n")}\n`;
}

function cellsOf(json: string): Cell[] | undefined {
  try {
    const notebook: unknown = JSON.parse(json);
    return isRecord(notebook) && Array.isArray(notebook.cells) ? notebook.cells.filter(isRecord) : undefined;
  } catch {
    return undefined; // read as plain text instead
  }
}

function cellText({ cell_type, source, outputs }: Cell, number: number): string {
  const kind = typeof cell_type === "string" ? cell_type : "unknown";
  const shown = (Array.isArray(outputs) ? outputs.filter(isRecord) : []).map(outputText).filter(Boolean);
  const parts = [`[Cell ${number}: ${kind}]`, joined(source)];
  if (shown.length > 0) parts.push(`[Output of cell ${number}]`, ...shown);
  return parts.filter(Boolean).join("\n");
}

function outputText(output: Output): string {
  if (output.output_type === "error") {
    return joined(output.traceback, "\n") || `${joined(output.ename)}: ${joined(output.evalue)}`;
  }
  if (output.text !== undefined) return joined(output.text);
  if (!isRecord(output.data)) return "";
  const plain = joined(output.data["text/plain"]);
  const others = Object.keys(output.data).filter((type) => type !== "text/plain" && type.startsWith("image/"));
  return [plain, ...others.map((type) => `[${type}]`)].filter(Boolean).join("\n");
}

/** Joins text that a notebook stores as one string or as a list of lines. */
function joined(value: unknown, separator = ""): string {
  const text = Array.isArray(value) ? value.filter((part) => typeof part === "string").join(separator) : value;
  return typeof text === "string" ? text.replace(COLOURS, "").replace(/\n$/, "") : "";
}
