import { visibleName, visiblePath } from "@pintle/foundation";
import { complain, printText } from "../../cli/print.ts";
import { homeDirectory } from "../../config/home-dir.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { Settings } from "../../config/settings/settings.ts";
import { readMcpConfig } from "../../mcp/config/mcp-config.ts";
import type { ServerSpec } from "../../mcp/config/server-spec.ts";
import { ProjectTrust } from "../../trust/project-trust.ts";
import { familyArguments, JSON_FLAG, refuseWords } from "./family-arguments.ts";

/** Runs `mcp list`, which lists the servers that a session in this directory would start, without starting them. */
export async function run(argv: readonly string[], env: Environment): Promise<number> {
  const { flags, words } = familyArguments(argv, JSON_FLAG);
  if (words.join(" ") !== "list") refuseWords("mcp", words, "mcp list");
  const cwd = process.cwd();
  const home = homeDirectory(env);
  const settings = Settings.create(cwd, home, { report: complain });
  const trust = await ProjectTrust.open(cwd, { home, settings, report: complain });
  const { servers, problems } = readMcpConfig({ cwd, home, env, trust });
  problems.forEach(complain);
  const rows = servers.map(({ spec, path }) => ({
    name: spec.name,
    transport: spec.transport,
    target: target(spec),
    path,
  }));
  const lines = rows.map(
    ({ name, transport, target, path }) =>
      `${visibleName(name)}  ${transport}  ${visiblePath(target)}  (${visiblePath(path)})\n`,
  );
  const text = lines.length === 0 ? "No MCP servers configured.\n" : lines.join("");
  await printText(flags.json ? `${JSON.stringify({ servers: rows }, null, 2)}\n` : text);
  return 0;
}

/** Describes a server without arguments, variables and headers, which may contain keys. */
function target(spec: ServerSpec): string {
  return spec.transport === "stdio" ? spec.command : new URL(spec.url).origin;
}
