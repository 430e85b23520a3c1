import { formatBytes } from "../shared/truncate.ts";
import type { ScannedLines } from "./line-scanner.ts";
import type { TextRequest } from "./read-text.ts";

/** For a line that does not fit alone: how long it is and how to get a part of it. */
export function longLineNotice(scanned: ScannedLines, request: TextRequest): string {
  const { firstLine, limits } = request;
  const { bytes, isWhole } = scanned.longLine ?? firstScannedLine(scanned);
  const size = `${isWhole ? "" : "more than "}${formatBytes(bytes)}`;
  const reason = `Line ${firstLine} has ${size}, more than the ${formatBytes(limits.maxBytes)} that fit.`;
  const command = partCommand(scanned, request);
  return command === undefined ? `[${reason}]` : `[${reason} Use bash for a part of it: ${command}]`;
}

function firstScannedLine({ bytes }: ScannedLines): { bytes: number; isWhole: boolean } {
  const newline = bytes.indexOf("\n");
  return { bytes: newline === -1 ? bytes.length : newline, isWhole: true };
}

/** None for text that is not in the file as it is shown. */
function partCommand({ longLine }: ScannedLines, request: TextRequest): string | undefined {
  const { firstLine, fileOffset, limits, shownPath } = request;
  if (fileOffset === undefined) return undefined;
  const file = shellWord(shownPath);
  const line = longLine ? `tail -c +${fileOffset + longLine.start + 1} ${file}` : `sed -n ${firstLine}p ${file}`;
  return `${line} | head -c ${limits.maxBytes}`;
}

function shellWord(word: string): string {
  const plain = word.startsWith("-") ? `./${word}` : word;
  return /^[\w./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}
