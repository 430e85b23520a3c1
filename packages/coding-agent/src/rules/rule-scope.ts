/** What the model writes at the moment. */
export type WatchedStream =
  | { kind: "text" | "thinking" }
  /** `paths` are the files its arguments name, in every form they may be written in; empty until they are known. */
  | { kind: "tool"; toolName: string; paths: readonly string[] };

export interface RuleScope {
  matches(stream: WatchedStream): boolean;
}

interface ToolToken {
  toolName?: string;
  glob?: Bun.Glob;
}

const PROSE = new Set(["text", "thinking"]);
const ANY_TOOL = new Set(["tool", "toolcall"]);

/** Throws an Error when nothing could ever match. `warn` gets tokens that nobody understands. */
export function parseScope(
  tokens: readonly string[],
  globs: readonly string[],
  warn: (text: string) => void,
): RuleScope {
  const prose = new Set<string>(tokens.length === 0 ? ["text"] : []);
  const tools: ToolToken[] = tokens.length === 0 ? [{}] : [];
  for (const token of tokens) {
    if (PROSE.has(token)) prose.add(token);
    else {
      const tool = parseToolToken(token);
      if (tool) tools.push(tool);
      else warn(`unknown scope "${token}"`);
    }
  }
  if (prose.size === 0 && tools.length === 0) throw new Error("its scope matches nothing");
  const filters = globs.map((glob) => new Bun.Glob(glob));

  const named = (toolName: string) =>
    tools.filter((token) => token.toolName === undefined || token.toolName === toolName);
  return {
    matches(stream) {
      if (stream.kind !== "tool") return prose.has(stream.kind);
      const { paths } = stream;
      if (filters.length > 0 && !filters.some((glob) => paths.some((path) => glob.match(path)))) return false;
      return named(stream.toolName).some(({ glob }) => !glob || paths.some((path) => glob.match(path)));
    },
  };
}

/** `tool`, `tool:edit`, `edit`, each also with `(*.ts)`. */
function parseToolToken(token: string): ToolToken | undefined {
  const match = /^(?:(tool|toolcall)(?::([\w-]+))?|([\w-]+))(?:\((.+)\))?$/.exec(token);
  if (!match) return undefined;
  const toolName = match[2] ?? (match[3] && !ANY_TOOL.has(match[3]) ? match[3] : undefined);
  return { ...(toolName !== undefined && { toolName }), ...(match[4] && { glob: new Bun.Glob(match[4]) }) };
}
