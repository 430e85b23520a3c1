import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isRecord } from "@pintle/ai";
import { isInside } from "@pintle/foundation";
import { parseConfigText, readConfigText } from "../config/config-text.ts";
import type { TrustItemKind } from "./covered-places.ts";

const MAX_COMMANDS = 50;
const MAX_WORDS = 1000;
/** Deeper than any nesting that is used. */
const MAX_DEPTH = 8;

/** Returns the names of the servers that a file would start, and of the values in it that would be run as commands. */
export function serverNames(path: string): { kind: TrustItemKind; name: string }[] {
  return serversIn(path).flatMap(([name, server]) => [
    { kind: "mcp_server" as const, name },
    ...commandValues(server, name)
      .slice(0, MAX_COMMANDS)
      .map((place) => ({ kind: "command" as const, name: place })),
  ]);
}

/** Returns the project files that its servers would run: trusting a server means trusting these files as they are. */
export function serverPrograms(path: string, project: string): string[] {
  return serversIn(path).flatMap(([, server]) => (isRecord(server) ? programFiles(server, project) : []));
}

/** Returns the words of a command that name project files, including those after `--option=`. */
export function programFiles(server: { command?: unknown; args?: unknown; cwd?: unknown }, project: string): string[] {
  const { command, args, cwd } = server;
  const base = typeof cwd === "string" ? resolve(project, cwd) : project;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  const paths = words.slice(0, MAX_WORDS).flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
  const root = realFile(project, "isDirectory");
  const files = paths.flatMap((path) => realFile(resolve(base, path), "isFile") ?? []);
  return [...new Set(files)].filter((file) => root !== undefined && isInside(root, file));
}

function serversIn(path: string): [string, unknown][] {
  const content = readConfigText(path);
  if (!content || "problem" in content) return [];
  const parsed = parseConfigText(content.text, "json");
  const servers = "value" in parsed && isRecord(parsed.value) ? parsed.value.mcpServers : undefined;
  return isRecord(servers) ? Object.entries(servers) : [];
}

/** Returns the real path, whatever links lead to it. */
function realFile(path: string, kind: "isFile" | "isDirectory"): string | undefined {
  try {
    return statSync(path)[kind]() ? realpathSync.native(path) : undefined;
  } catch {
    return undefined; // nothing has such a name
  }
}

/** Returns the locations of strings that start with "!". */
function commandValues(value: unknown, place: string, depth = 0): string[] {
  if (typeof value === "string") return value.startsWith("!") ? [place] : [];
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, member]) => commandValues(member, `${place}.${key}`, depth + 1));
}
