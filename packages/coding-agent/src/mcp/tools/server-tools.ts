import { errorText } from "@pintle/ai";
import { UpdateThrottle } from "@pintle/exec";
import { visibleName } from "@pintle/foundation";
import type { McpClient } from "../connection/mcp-client.ts";
import type { ListedTool, ToolList } from "./list-tools.ts";

export interface ServerToolsParts {
  /** Time limit for one complete listing. */
  timeoutMs: number;
  closing: AbortSignal;
  /** Called when the set of tools changes. */
  onTools(): void;
  warn(text: string): void;
}

/** Servers may report changes at any rate. */
const RELIST_MS = 1_000;
const MAX_FAULTS = 5;

/** The last listed tools of one server. They stay when the server dies. */
export class ServerTools {
  readonly #parts: ServerToolsParts;
  // Does not reject: it warns.
  readonly #relist = new UpdateThrottle(() => void this.#readAgain(), RELIST_MS);
  #list: readonly ListedTool[] = [];
  #client: McpClient | undefined;
  #isReading = false;
  /** The tools changed again during the listing. */
  #isStale = false;

  constructor(parts: ServerToolsParts) {
    this.#parts = parts;
  }

  get list(): readonly ListedTool[] {
    return this.#list;
  }

  /** Lists the server's tools. Rejects if it returns no list. */
  async read(client: McpClient): Promise<void> {
    this.#client = client;
    if (!client.offers("tools")) return;
    const { listTools } = await import("./list-tools.ts");
    const { timeoutMs, closing } = this.#parts;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
    const askForPage = (cursor: string | undefined) =>
      client.request("tools/list", cursor === undefined ? {} : { cursor }, { timeoutMs, signal });
    this.#isReading = true;
    this.#isStale = false;
    try {
      const list = await listTools(askForPage);
      this.#adopt(client.repeatsArguments ? withoutFaultyHeaders(list) : list);
    } finally {
      this.#isReading = false;
      if (this.#isStale) this.#relist.notify();
    }
  }

  /** Handles the server's change notification. */
  changed(): void {
    if (this.#isReading) this.#isStale = true;
    else this.#relist.notify();
  }

  close(): void {
    this.#relist.cancel();
  }

  async #readAgain(): Promise<void> {
    const client = this.#client;
    if (!client || client.isOver || this.#isReading || this.#parts.closing.aborted) return;
    try {
      await this.read(client);
    } catch (error) {
      const why = errorText(error);
      if (!client.isOver) this.#parts.warn(`has changed its tools, but they cannot be listed: ${why}`);
    }
  }

  #adopt({ tools, faults }: ToolList): void {
    if (this.#parts.closing.aborted) return;
    this.#list = tools;
    if (faults.length > 0) {
      const shown = faults.slice(0, MAX_FAULTS).join("; ");
      const rest = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : "";
      this.#parts.warn(`has tools that are left out: ${shown}${rest}`);
    }
    this.#parts.onTools();
  }
}

function withoutFaultyHeaders({ tools, faults }: ToolList): ToolList {
  const faulty = tools.flatMap(({ tool, headers }) =>
    typeof headers === "string" ? [`tool "${visibleName(tool)}": ${headers}`] : [],
  );
  return { tools: tools.filter(({ headers }) => typeof headers !== "string"), faults: [...faults, ...faulty] };
}
