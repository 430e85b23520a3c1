import { dirname } from "node:path";
import { isRecord } from "@pintle/ai";
import { realPath, visibleName, visiblePath } from "@pintle/foundation";
import { type ConfigText, type FileProblem, parseConfigText, readConfigText } from "../../config/config-text.ts";
import type { Environment } from "../../config/keys/environment.ts";
import type { ProjectTrust } from "../../trust/project-trust.ts";
import { programFiles } from "../../trust/server-items.ts";
import { type ServerPlace, serverPlaces } from "./server-files.ts";
import { isServerName, MAX_SERVERS } from "./server-name.ts";
import { readServer, type ServerSpec } from "./server-spec.ts";

export interface ConfigSurroundings {
  cwd: string;
  home: string;
  env: Environment;
  trust: McpTrust;
}

export type McpTrust = Pick<ProjectTrust, "isTrusted" | "isTrustedContent" | "isStillTrusted">;

export interface ConfiguredServer {
  spec: ServerSpec;
  /** The file that defines it, or empty if the host named it. */
  path: string;
  /** Checks directly before each start that consent still covers the file's content and the program. */
  mayStart(): boolean;
}

export interface McpConfig {
  servers: ConfiguredServer[];
  /** Messages for the user, one per file or server. They contain no value of a file. */
  problems: string[];
}

interface WrittenServer {
  value: unknown;
  file: ReadableFile;
}

interface ReadableFile {
  path: string;
  /** `programs` are project files that would be run. */
  mayStart(programs: readonly string[]): boolean;
}

/**
 * Returns the servers that may be started now. If several files define a name, the last file's definition wins as a whole: if
 * it is invalid, the one it replaced is not used either. Project files have no effect before there is consent to them.
 */
export function readMcpConfig(surroundings: ConfigSurroundings): McpConfig {
  const problems: string[] = [];
  const written = new Map<string, WrittenServer>();
  const disabled = new Set<string>();
  for (const place of serverPlaces(surroundings.cwd, surroundings.home)) {
    const file = openPlace(place, surroundings);
    if (!file) continue;
    const report = (text: string) => void problems.push(`${visiblePath(place.path)}: ${text}`);
    if ("problem" in file) report(file.problem);
    else readFile(file, { written, disabled, report });
  }
  const servers = [...written].flatMap(([name, { value, file }]) => {
    if (disabled.has(name)) return [];
    const spec = readServer(name, value, surroundings);
    if (!spec) return [];
    if (!("problems" in spec)) {
      const mayStart = () => file.mayStart("command" in spec ? programFiles(spec, surroundings.cwd) : []);
      return [{ spec, path: file.path, mayStart }];
    }
    problems.push(...spec.problems.map((problem) => `MCP server "${name}" (${visiblePath(file.path)}): ${problem}`));
    return [];
  });
  return { servers, problems };
}

function readFile(
  { content, ...file }: ReadableFile & { content: ConfigText },
  { written, disabled, report }: Merged & { report: (text: string) => void },
): void {
  const shape = readShape(content.text);
  if ("problem" in shape) {
    report(shape.problem);
    return;
  }
  const { mcpServers, disabledServers } = shape;
  if (!Array.isArray(disabledServers)) report("disabledServers must be a list of names");
  else for (const name of disabledServers) if (typeof name === "string") disabled.add(name);
  const entries = Object.entries(mcpServers);
  if (entries.length > MAX_SERVERS) report(`names ${entries.length} servers; only the first ${MAX_SERVERS} are used`);
  for (const [name, value] of entries.slice(0, MAX_SERVERS)) {
    if (isServerName(name)) written.set(name, { value, file });
    else report(`"${visibleName(name)}" cannot be the name of a server: letters, digits, _ . and -, at most 100`);
  }
}

function readShape(text: string): { mcpServers: object; disabledServers: unknown } | FileProblem {
  const parsed = parseConfigText(text, "json");
  if ("problem" in parsed) return parsed;
  if (!isRecord(parsed.value)) return { problem: "must contain an object" };
  const { mcpServers = {}, disabledServers = [] } = parsed.value;
  return isRecord(mcpServers) ? { mcpServers, disabledServers } : { problem: "mcpServers must be an object" };
}

interface Merged {
  written: Map<string, WrittenServer>;
  disabled: Set<string>;
}

type OpenedFile = (ReadableFile & { content: ConfigText }) | FileProblem;

/** Returns undefined if there is none, or it must not take effect. */
function openPlace({ path, isProjects }: ServerPlace, { home, trust }: ConfigSurroundings): OpenedFile | undefined {
  // In pintle's own directory this is the user's file, which has been read already.
  if (isProjects && (!trust.isTrusted || isSameFolder(dirname(path), home))) return undefined;
  const real = isProjects ? realPath(path) : path;
  if (real === undefined) return undefined;
  const content = readConfigText(real);
  if (!content || "problem" in content) return content;
  const isAgreed = () => trust.isTrusted && trust.isTrustedContent(real, content.bytes);
  const mayStart = (programs: readonly string[]) =>
    !isProjects || (isAgreed() && programs.every((program) => trust.isStillTrusted(program)));
  if (!mayStart([])) return { problem: "has changed since consent was given; its servers are not started" };
  return { path, content, mayStart };
}

function isSameFolder(one: string, other: string): boolean {
  const real = realPath(one);
  return real !== undefined && real === realPath(other);
}
