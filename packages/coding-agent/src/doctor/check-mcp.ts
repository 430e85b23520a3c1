import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { unlessAborted } from "@pintle/ai";
import { LazyProcessRunner } from "@pintle/exec";
import { isInside, realPath, visibleName } from "@pintle/foundation";
import { childRules } from "../config/child-rules.ts";
import { type ConfiguredServer, readMcpConfig } from "../mcp/config/mcp-config.ts";
import { McpConnection } from "../mcp/mcp-connection.ts";
import { SERVER_FILES } from "../trust/covered-places.ts";
import { programFiles, serverNames } from "../trust/server-items.ts";
import { broken, type Check, type Finding, info, ok, type Surroundings } from "./finding.ts";

const CONNECT_MS = 5_000;
const NO_TRUST = { isTrusted: false, isTrustedContent: () => false, isStillTrusted: () => false };

/** Asks the user's servers for their tools. Only names a project's servers, with or without consent. */
export const checkMcpServers: Check = async (surroundings) => {
  const { cwd, home, env, settings, registry, ending } = surroundings;
  const { servers, problems } = readMcpConfig({ cwd, home, env, trust: NO_TRUST });
  const processRunner = new LazyProcessRunner(childRules(settings, registry));
  try {
    const asked = await Promise.all(servers.map((server) => ask(server, surroundings, processRunner, ending)));
    const found = [...problems.map((problem) => broken(problem)), ...asked, ...ofProject(surroundings)];
    return found.length > 0 ? found : [info("none")];
  } finally {
    await processRunner.killAll("shutdown");
  }
};

function ofProject({ cwd, home, trust }: Surroundings): Finding[] {
  const state = trust.isTrusted ? "with consent" : "withheld";
  return SERVER_FILES.map((name) => join(cwd, name))
    .filter((path) => existsSync(path) && (realPath(dirname(path)) ?? dirname(path)) !== (realPath(home) ?? home))
    .flatMap((path) => serverNames(path))
    .filter(({ kind }) => kind === "mcp_server")
    .map(({ name }) => info(`${visibleName(name)}: of the project, ${state}; not started here`));
}

async function ask(
  { spec, ...server }: ConfiguredServer,
  { cwd, home }: Surroundings,
  processRunner: LazyProcessRunner,
  ending: AbortSignal,
): Promise<Finding> {
  const { name } = spec;
  if (spec.transport === "stdio" && programFiles(spec, cwd).length > 0) {
    return info(`${name}: its program is in this project; not started here`);
  }
  // Run outside the project, because package runners prefer programs that they find in the working directory.
  const away =
    spec.transport === "stdio" && isInside(realPath(cwd) ?? cwd, realPath(spec.cwd) ?? spec.cwd) ? { cwd: home } : {};
  const connection = new McpConnection(
    { ...server, spec: { ...spec, ...away } },
    { processRunner: () => processRunner.open(), onTools: () => {}, onStatus: () => {}, warn: () => {} },
  );
  try {
    const limit = AbortSignal.any([AbortSignal.timeout(CONNECT_MS), ending]);
    await unlessAborted(connection.connect(), limit);
    const { status, tools, error } = connection.status;
    if (status === "connected") return ok(`${name}: connected, ${tools} ${tools === 1 ? "tool" : "tools"}`);
    return broken(`${name}: ${error ?? `no answer within ${CONNECT_MS / 1000} s`}`);
  } finally {
    await connection.close();
  }
}
