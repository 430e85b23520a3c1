import { parseConfigText, readConfigText } from "../config/config-text.ts";
import { isObject } from "../config/field-reader.ts";
import type { TrustItemKind } from "./covered-places.ts";

const MAX_COMMANDS = 50;
/** Deeper than any value that is read. */
const MAX_DEPTH = 8;

/** The servers a file would start, and the values in it that would be run as commands. Names only. */
export function serverNames(path: string): { kind: TrustItemKind; name: string }[] {
  const content = readConfigText(path);
  if (!content || "problem" in content) return [];
  const parsed = parseConfigText(content.text, "json");
  const servers = "value" in parsed && isObject(parsed.value) ? parsed.value.mcpServers : undefined;
  if (!isObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => [
    { kind: "mcp_server" as const, name },
    ...commandValues(server, name)
      .slice(0, MAX_COMMANDS)
      .map((place) => ({ kind: "command" as const, name: place })),
  ]);
}

/** Where there are texts that begin with "!". */
function commandValues(value: unknown, place: string, depth = 0): string[] {
  if (typeof value === "string") return value.startsWith("!") ? [place] : [];
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, member]) => commandValues(member, `${place}.${key}`, depth + 1));
}
