/** A request that the offline model understood. */
export type Intent =
  | { kind: "list"; path?: string }
  | { kind: "read"; path: string }
  | { kind: "search"; text: string; path?: string }
  | { kind: "run"; command: string }
  | { kind: "write"; path: string; content: string }
  | { kind: "rename"; from: string; to: string; path?: string; previewOnly: boolean }
  | { kind: "plan"; items: string[] }
  /** `json` verbatim. */
  | { kind: "call"; tool: string; json?: string }
  | { kind: "help" }
  | { kind: "unknown" };

/** A request that uses a tool. */
export type ToolIntent = Exclude<Intent, { kind: "help" | "unknown" }>;

export interface UserRequest {
  /** The user's own words, for quoting. */
  text: string;
  intent: Intent;
}

interface RequestRow {
  /** The syntax shown by `help`. */
  forms: string;
  does: string;
  patterns: readonly RegExp[];
  /** Returns undefined if the match turns out not to be this request. */
  toIntent(groups: Record<string, string | undefined>): Intent | undefined;
}

/** The first row with a matching pattern wins. */
export const REQUESTS = {
  list: {
    forms: "`list [dir]`, `what files are here`",
    does: "names and number of the files",
    patterns: [
      /^list(?:\s+(?:the\s+)?files)?(?:\s+(?:in\s+)?(?<path>.+))?$/i,
      /^what files are (?:here|in (?<path>.+?))\??$/i,
    ],
    toIntent: ({ path }) => ({ kind: "list", ...optionalPath(path) }),
  },
  read: {
    forms: "`read <path>`, `show <path>`",
    does: "the first lines and the number of lines",
    patterns: [/^(?:read|show)\s+(?<path>.+)$/i],
    toIntent: ({ path }) => ({ kind: "read", path: unquote(path) }),
  },
  search: {
    forms: "`search <text> [in <path>]`, `find <text> [in <path>]`",
    does: "hits per file",
    patterns: [/^(?:search|find)\s+(?:for\s+)?(?<text>"[^"]+"|'[^']+'|`[^`]+`|.+?)(?:\s+in\s+(?<path>\S.*))?$/i],
    toIntent: ({ text, path }) => ({ kind: "search", text: unquote(text), ...optionalPath(path) }),
  },
  run: {
    forms: "`run <command>`, `$ <command>`",
    does: "exit code and the end of the output",
    patterns: [/^(?:run\s+|\$\s*)(?<command>.+)$/is],
    toIntent: ({ command }) => ({ kind: "run", command: unquote(command) }),
  },
  write: {
    forms: "`write <path>: <text>`, or with a fenced block",
    does: "a new file",
    patterns: [
      /^write\s+(?<path>[^\n]+?):?\s*\n(?<fence>`{3,}|~{3,})[^\n]*\n(?<content>.*?)\n?\k<fence>$/is,
      /^write\s+(?<path>[^\n]+?):\s+(?<content>.+)$/i,
    ],
    toIntent: ({ path, content, fence }) => ({
      kind: "write",
      path: unquote(path),
      content: fence ? `${content}\n` : unquote(content),
    }),
  },
  rename: {
    forms: "`rename <a> to <b> [in <path>]`, with `preview only` to change nothing",
    does: "a structural rename of an identifier",
    patterns: [
      /^rename\s+(?<from>\S+)\s+to\s+(?<to>[^\s,]+)(?:\s+in\s+(?<path>.+?))?(?<preview>[\s,(]+preview only\)?)?$/i,
    ],
    toIntent: ({ from, to, path, preview }) => ({
      kind: "rename",
      from: unquote(from),
      to: unquote(to),
      ...optionalPath(path),
      previewOnly: preview !== undefined,
    }),
  },
  plan: {
    forms: "`plan: a; b; c`",
    does: "a todo list, worked through item by item",
    patterns: [/^plan:\s*(?<items>.+)$/i],
    toIntent: ({ items = "" }) => {
      const list = items.split(";").map((item) => item.trim());
      const named = list.filter((item) => item !== "");
      return named.length > 0 ? { kind: "plan", items: named } : undefined;
    },
  },
  call: {
    forms: "`call <tool> [arguments as JSON]`",
    does: "any tool, for example one of your own, and the beginning of its answer",
    patterns: [
      /^call\s+(?<tool>[\w.:-]+)(?:\s+(?<json>\{.*\}))?$/is,
      /^call\s+(?<tool>[\w.:-]+):?\s*\n(?<fence>`{3,}|~{3,})[^\n]*\n(?<json>.*?)\n?\k<fence>$/is,
    ],
    toIntent: ({ tool = "", json }) => ({ kind: "call", tool, ...(json !== undefined && { json }) }),
  },
  help: {
    forms: "`help`",
    does: "this list",
    patterns: [/^help\b.*$/i],
    toIntent: () => ({ kind: "help" }),
  },
} satisfies Record<Exclude<Intent["kind"], "unknown">, RequestRow>;

export function needsTool(intent: Intent): intent is ToolIntent {
  return intent.kind !== "help" && intent.kind !== "unknown";
}

/** Splits several requests, on separate lines or joined by `then`. */
export function parseRequests(text: string): UserRequest[] {
  return splitRequests(text).map((request) => ({ text: request, intent: toIntent(request) }));
}

function toIntent(request: string): Intent {
  const rows: readonly RequestRow[] = Object.values(REQUESTS);
  for (const { patterns, toIntent } of rows) {
    for (const pattern of patterns) {
      const match = pattern.exec(request);
      const intent = match && toIntent(match.groups ?? {});
      if (intent) return intent;
    }
  }
  return { kind: "unknown" };
}

/** A line and the fenced block that may follow it. */
const LINE = /(?<line>[^\n]+)(?<block>\n\s*(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?\n?\k<fence>(?=\s*(?:\n|$)))?/g;

/** Split only before the beginning of another request, because shell commands also use `then`. */
const THEN = /[,;]?\s+then\s+(?=(?:list|read|show|search|find|run|write|rename|call|help)\b|plan:|what files|\$)/gi;

function splitRequests(text: string): string[] {
  return [...text.matchAll(LINE)]
    .flatMap(({ groups: { line = "", block = "" } = {} }) => {
      const parts = splitLine(line);
      return parts.map((part, index) => (index === parts.length - 1 ? part + block : part));
    })
    .map((part) => part.trim().replace(/^please\s+/i, ""))
    .filter((part) => part !== "");
}

function splitLine(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const then of line.matchAll(THEN)) {
    if (isInsideQuotes(line.slice(start, then.index))) continue;
    parts.push(line.slice(start, then.index));
    start = then.index + then[0].length;
  }
  return [...parts, line.slice(start)];
}

/** Returns whether a quotation is still open at the end of this string. An apostrophe does not open one. */
function isInsideQuotes(text: string): boolean {
  return ['"', "`"].some((quote) => text.split(quote).length % 2 === 0);
}

function optionalPath(path: string | undefined): { path?: string } {
  return path ? { path: unquote(path) } : {};
}

function unquote(text = ""): string {
  const trimmed = text.trim();
  return /^(["'`])(.+)\1$/s.exec(trimmed)?.[2] ?? trimmed;
}
