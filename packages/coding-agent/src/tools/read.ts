import { type ParameterAlias, plainSpelling } from "@pintle/agent";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { declareTool } from "./define-tool.ts";
import { READS_PATH } from "./shared/access.ts";
import { dropped, FILE_ALIASES, oneOf, REASON_ALIASES } from "./shared/parameter-aliases.ts";
import type { Truncation } from "./shared/truncate.ts";

export interface ReadDetails {
  kind: "text" | "image" | "directory" | "notebook";
  mimeType?: string;
  truncation?: Truncation;
}

function parameters() {
  return Type.Object({
    path: Type.String(),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "first line, from 1" })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    lineNumbers: Type.Optional(Type.Boolean()),
  });
}

export type ReadArguments = Static<ReturnType<typeof parameters>>;

/** Parameter names in lower case without separators. */
const STARTS = ["offset", "startline", "linestart", "startlineoneindexed"];

/** Converts `[10, 12]` or `"10-12"`, which are three lines. -1 is the end of the file. */
const viewRange: ParameterAlias = (value) => {
  const ends = typeof value === "string" ? value.split(/(?<=\d)[-:,]/) : value;
  if (!Array.isArray(ends) || ends.length !== 2) return undefined;
  return linesFrom(Number(ends[0]), Number(ends[1]));
};

/** Converts the last line to a limit, counted from the first line of the same call. */
const endLine: ParameterAlias = (value, args) => {
  const [, start] = Object.entries(args).find(([name]) => STARTS.includes(plainSpelling(name))) ?? [];
  return linesFrom(Number(start ?? 1), Number(value));
};

function linesFrom(first: number, last: number): Record<string, number> | undefined {
  if (!Number.isInteger(first) || !Number.isInteger(last) || first < 0) return undefined;
  if (last === -1) return { offset: first };
  const start = Math.max(1, first);
  return last >= start ? { offset: start, limit: last - start + 1 } : undefined;
}

export const readTool = declareTool({
  name: "read",
  label: "Read",
  description:
    "Read a text file, image, notebook or directory. Long files are shortened; the result says how to continue.",
  parameters,
  aliases: ["read_file", "view", "view_file", "open_file", "cat", "view_image", "read_text_file"],
  parameterNames: {
    aliases: {
      ...FILE_ALIASES,
      view_range: viewRange,
      line_range: viewRange,
      lines: viewRange,
      start_line: "offset",
      line_start: "offset",
      start_line_one_indexed: "offset",
      end_line: endLine,
      line_end: endLine,
      end_line_one_indexed_inclusive: endLine,
      max_lines: "limit",
      num_lines: "limit",
      show_line_numbers: "lineNumbers",
      should_read_entire_file: dropped,
      encoding: dropped,
      mode: oneOf({ slice: {} }),
      ...REASON_ALIASES,
    },
  },
  access: { ...READS_PATH, takesUris: true },
  files: "reads",
  keepsOutput: true,
  load: () => import("./read/execute-read.ts"),
});
