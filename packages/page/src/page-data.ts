// The data of an exported page. The engine writes these types and the page reads them; neither imports the other.

export type RowKind =
  | "user"
  | "assistant"
  | "tool"
  | "shell"
  | "note"
  | "system"
  | "files"
  | "compaction"
  | "branch"
  | "subagent"
  | "change"
  | "data";

/** Tokens of input, output, cache reads and cache writes, then the cost. */
export type UsageRow = readonly [number, number, number, number, number];

export interface CallHead {
  id: string;
  name: string;
  /** One-line summary. */
  summary: string;
}

/** Outcome of a staged change, as reported by the call that decided on it. */
export interface Decision {
  verdict: "apply" | "discard";
  reason: string;
  by?: string;
  /** The tool whose newest preview it decided on. */
  tool?: string;
  label?: string;
}

export type RowState = "error" | "aborted" | "length";
export type OutOfContext = "excluded" | "withdrawn" | "pruned";

/** An entry as the tree, the figures and the charts need it. The page reads all of these at once, and bodies one by one. */
export interface Row {
  id: string;
  /** Its place in the list of rows; -1 for the beginning of a conversation. */
  parent: number;
  kind: RowKind;
  title: string;
  /** Milliseconds since the epoch, or 0 if unknown. */
  at: number;
  /** Characters of the body: a first guess at how tall it will be. */
  size: number;
  label?: string;
  model?: string;
  /** Set for answers. */
  calls?: CallHead[];
  /** Set for a result: the call that it answers, and the tool. */
  call?: string;
  tool?: string;
  decision?: Decision;
  /** How long the model or the tool took. */
  ms?: number;
  usage?: UsageRow;
  state?: RowState;
  out?: OutOfContext;
  /** Set for a note that is marked as hidden. */
  isUnseen?: boolean;
}

export interface PageIndex {
  generator: string;
  session: { id: string; name?: string; cwd: string; created: string; file: string; parent?: string };
  /** Current row of the conversation, or -1 if it is empty. */
  leaf: number;
  isRedacted: boolean;
  rows: Row[];
  systemPrompt?: string;
  tools?: { name: string; description: string }[];
}

export type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "redacted" }
  /** `image` is the line in the block of images. */
  | { type: "image"; image: number; mimeType: string }
  /** Content that cannot be shown, and why. */
  | { type: "missing"; note: string }
  | { type: "call"; id: string; name: string; args: unknown; problem?: string };

export interface MessageBody {
  blocks: Block[];
  error?: string;
}

export interface ToolBody {
  blocks: Block[];
  details?: unknown;
}

export interface ShellBody {
  command: string;
  output: string;
  language: string;
  exitCode?: number;
  note?: string;
}

export interface SummaryBody {
  text: string;
  facts: string[];
}

/** The beginning of a subagent's conversation. */
export interface SubagentBody {
  /** The id of the row with the result of the call that started it, if the page contains it. */
  startedBy?: string;
}

/** The id of the row with which the conversation of a subagent begins. */
export function subagentRowId(subagent: string): string {
  return `subagent-${subagent}`;
}

export interface FilesBody {
  files: { path: string; content: string; image?: Block }[];
}

export interface DataBody {
  value: unknown;
}

/** The body of each kind of row; a `change` has only a title. */
export interface Bodies {
  user: MessageBody;
  assistant: MessageBody;
  note: MessageBody;
  tool: ToolBody;
  shell: ShellBody;
  system: SummaryBody;
  compaction: SummaryBody;
  branch: SummaryBody;
  files: FilesBody;
  subagent: SubagentBody;
  data: DataBody;
  change: null;
}
export type Body = Bodies[RowKind];

/** The ids of the inert blocks in the page. */
export const INDEX_BLOCK = "pintle-index";
export const BODIES_BLOCK = "pintle-bodies";
export const IMAGES_BLOCK = "pintle-images";
/** One line per language that occurs and is not in the script: `["name", grammar]`. */
export const GRAMMARS_BLOCK = "pintle-grammars";
