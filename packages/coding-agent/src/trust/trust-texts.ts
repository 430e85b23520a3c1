import { visiblePath } from "@pintle/foundation";
import type { TrustItem } from "@pintle/wire";
import type { TrustAnswer, TrustRequest } from "./ask-for-trust.ts";
import type { TrustItemKind } from "./covered-places.ts";

/** A longer list would not be read; the question shows all names. */
const MAX_NAMES = 8;

/** The state of a project with content that waits for consent. */
interface WithheldParts {
  withheld: readonly Pick<TrustItem, "kind" | "name">[];
  obstacle?: string | undefined;
  isBeyondFlag: boolean;
}

/** Returns the notice about withheld content, or undefined if nothing is withheld. */
export function withheldText({ withheld, obstacle, isBeyondFlag }: WithheldParts): string | undefined {
  const count = withheld.length;
  if (count === 0) return undefined;
  const items = count === 1 ? "1 item of this project was" : `${count} items of this project were`;
  const names = withheld.slice(0, MAX_NAMES).map(({ kind, name }) => `${KIND_WORDS[kind]} ${name}`);
  const more = count > MAX_NAMES ? [`${count - MAX_NAMES} more`] : [];
  const rule = `withheld (${[...names, ...more].join(", ")}): project code does not run without consent`;
  // --trust applies only to the start directory.
  const flag = isBeyondFlag ? "--trust in its own directory" : "--trust";
  if (obstacle === undefined) return `${items} ${rule}. Start with ${flag} to allow it this time.`;
  return `${items} ${rule}. It cannot be given for this content, because ${obstacle}; ${flag} allows it this time.`;
}

const KIND_WORDS: Record<TrustItemKind, string> = {
  extension: "extension",
  custom_tool: "custom tool",
  hook: "hook",
  agent: "agent",
  mcp_server: "MCP server",
  command: "command",
  setting: "setting",
};

/** Returns the question for a user at a terminal. */
export function questionText({ project, items }: TrustRequest): string {
  const width = Math.max(...items.map(({ kind }) => kind.length));
  const rows = items.map(({ kind, name, path }) => `  ${kind.padEnd(width)}  ${name}  (${path})`);
  return [
    `This project contains code that can run programs with your permissions: ${visiblePath(project)}`,
    ...rows,
    "Load them? y: this time, always: as long as they stay exactly like this, anything else: no  ",
  ].join("\n");
}

/** Only a clear yes grants trust. */
export function readAnswer(line: string | undefined): TrustAnswer {
  const word = line?.trim().toLowerCase() ?? "";
  const isAlways = word === "always" || word === "a";
  return { isTrusted: isAlways || word === "y" || word === "yes", isRemembered: isAlways };
}
