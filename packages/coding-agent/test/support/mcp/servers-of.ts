import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Tool, ToolResult } from "@pintle/agent";
import { ProcessRunner } from "../../../../exec/src/processes/process-runner.ts";
import { Settings } from "../../../src/config/settings/settings.ts";
import { McpServers } from "../../../src/mcp/mcp-servers.ts";
import { ProjectTrust } from "../../../src/trust/project-trust.ts";
import type { ProjectFolder } from "../trust/project-folder.ts";

export const STDIO_SERVER = fileURLToPath(import.meta.resolve("./stdio-server.ts"));

const FULL_SERVER = fileURLToPath(import.meta.resolve("./full-server.ts"));

/** The same for the server with questions, prompts, resources and instructions. */
export function fullServer(...flags: string[]) {
  return { command: process.execPath, args: [FULL_SERVER, ...flags] };
}

/** The definition of a test server, as written in a file. */
export function stdio(...flags: string[]) {
  return { command: process.execPath, args: [STDIO_SERVER, ...flags] };
}

export function mcpFile(servers: Record<string, unknown>, more: object = {}): string {
  return JSON.stringify({ mcpServers: servers, ...more });
}

export interface TestServers extends AsyncDisposable {
  servers: McpServers;
  trust: ProjectTrust;
  processRunner: ProcessRunner;
  /** The most recently offered tools. */
  tools: readonly Tool[];
  warnings: string[];
  /** `name status`, in the order they were reported. */
  statuses: string[];
  names(): string[];
  /** Resolves when the condition holds after new tools or a warning. */
  until(condition: () => boolean): Promise<void>;
  call(
    name: string,
    args?: object,
    options?: { signal?: AbortSignal; update?(result: ToolResult): void },
  ): Promise<ToolResult>;
}

export interface TestServersOptions {
  env?: Record<string, string>;
  flag?: "open" | "closed";
  isEnabled?: boolean;
  settings?: Record<string, unknown>;
  cwd?: () => string;
  onStatus?: (status: string, servers: TestServers) => void;
}

/** Creates and starts the owner of a session's servers, with a real gateway, real settings and real consent. */
export async function serversOf(folder: ProjectFolder, options: TestServersOptions = {}): Promise<TestServers> {
  const { cwd, home } = folder;
  const warnings: string[] = [];
  const settings = Settings.create(cwd, home, { report: (text) => warnings.push(text), rpc: false });
  settings.applyOverrides((options.settings ?? {}) as never);
  const trust = await ProjectTrust.open(cwd, {
    home,
    settings,
    flag: options.flag,
    report: (text) => warnings.push(text),
  });
  const processRunner = new ProcessRunner({ environment: process.env });
  let wake = () => {};
  let spills = 0;
  const result: TestServers = {
    trust,
    processRunner,
    tools: [],
    statuses: [],
    warnings,
    names: () => result.tools.map(({ name }) => name),
    async until(condition) {
      while (!condition()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async call(name, args = {}, { signal = new AbortController().signal, update = () => {} } = {}) {
      const tool = result.tools.find((candidate) => candidate.name === name);
      if (!tool) throw new Error(`no tool ${name} among ${result.names()}`);
      const batch = { id: "b", index: 0, total: 1, names: [name] };
      return tool.execute(args, { id: "c", signal, steeringSignal: signal, update, batch });
    },
    servers: new McpServers({
      isEnabled: options.isEnabled ?? true,
      home,
      env: { ...process.env, ...options.env },
      trust,
      processRunner: { open: async () => processRunner },
      settings,
    }),
    async [Symbol.asyncDispose]() {
      await result.servers.close();
      await processRunner.killAll("shutdown", 0);
    },
  };
  result.servers.attach({
    cwd: options.cwd ?? (() => cwd),
    traceOf: () => undefined,
    offer(tools) {
      result.tools = tools.map(({ tool }) => tool);
      wake();
    },
    warn(message) {
      warnings.push(message);
      wake();
    },
    status(server) {
      result.statuses.push(`${server.name} ${server.status}`);
      options.onStatus?.(server.status, result);
      wake();
    },
    newSpillPath: async (tool) => {
      spills += 1;
      return join(folder.root, `${spills}.${tool}.log`);
    },
    takesImages: () => true,
  });
  result.servers.start();
  return result;
}

/** A variable reference, as written in a file. */
export function variable(name: string, fallback?: string): string {
  return `\${${name}${fallback === undefined ? "" : `:-${fallback}`}}`;
}
