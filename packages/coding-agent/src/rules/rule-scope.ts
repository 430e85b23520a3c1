import { namesMeant } from "../tools/family-names.ts";

/** The stream that the model is writing. */
export type WatchedStream =
  | { kind: "text" | "thinking" }
  /** `paths` are the files its arguments name, in every form they may be written in; empty until they are known. */
  | { kind: "tool"; toolName: string; paths: readonly string[] };

export interface RuleScope {
  matches(stream: WatchedStream): boolean;
}

interface ToolToken {
  /** Empty matches any tool. */
  toolNames: readonly string[];
  glob?: Bun.Glob;
}

const PROSE = new Set(["text", "thinking"]);
const DEFAULT = ["text", "tool"];
const TOOL_TOKEN = /^(?:(?:tool|toolcall)(?::([\w.-]+))?|([\w.-]+))(?:\((.+)\))?$/;

/** Returns undefined if nothing could ever match. Reports invalid tokens to `warn`. */
export function parseScope(
  tokens: readonly string[],
  globs: readonly string[],
  warn: (text: string) => void,
): RuleScope | undefined {
  const prose = new Set<string>();
  const tools: ToolToken[] = [];
  for (const token of tokens.length > 0 ? tokens : DEFAULT) {
    const tool = parseToolToken(token);
    if (PROSE.has(token)) prose.add(token);
    else if (tool) tools.push(tool);
    else warn(`unknown scope "${token}"`);
  }
  if (prose.size === 0 && tools.length === 0) return undefined;
  const filters = globs.map((glob) => new Bun.Glob(glob));

  return {
    matches(stream) {
      if (stream.kind !== "tool") return prose.has(stream.kind);
      const { toolName, paths } = stream;
      const isNamed = (glob: Bun.Glob) => paths.some((path) => glob.match(path));
      if (filters.length > 0 && !filters.some(isNamed)) return false;
      return tools.some(
        ({ toolNames, glob }) =>
          (toolNames.length === 0 || toolNames.includes(toolName)) && (glob === undefined || isNamed(glob)),
      );
    },
  };
}

/** `tool`, `tool:edit`, `edit`, each also with `(*.ts)`. */
function parseToolToken(token: string): ToolToken | undefined {
  const match = TOOL_TOKEN.exec(token);
  if (!match) return undefined;
  const [, named, bare, glob] = match;
  const toolName = named ?? bare;
  if (bare !== undefined && PROSE.has(bare)) return undefined; // text has no files
  return {
    toolNames: toolName === undefined ? [] : namesMeant(toolName),
    ...(glob !== undefined && { glob: new Bun.Glob(glob) }),
  };
}
