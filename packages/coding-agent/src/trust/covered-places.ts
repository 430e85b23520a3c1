import type { TrustItem } from "@pintle/wire";

/** The kinds of content that need consent. */
export type TrustItemKind = TrustItem["kind"];

/** Folders whose modules pintle would load. Everything in them is covered, including packages next to the modules. */
export const CODE_FOLDERS: readonly { path: string; kind: TrustItemKind }[] = [
  { path: ".pintle/extensions", kind: "extension" },
  { path: ".pintle/tools", kind: "custom_tool" },
  { path: ".pintle/hooks", kind: "hook" },
];

/** Folders with definitions of subagents: instructions, tools and models that the main agent delegates to. */
export const AGENT_FOLDERS: readonly string[] = [".pintle/agents", ".omp/agents", ".claude/agents"];

/** Files that name programs to start. */
export const SERVER_FILES: readonly string[] = ["mcp.json", ".mcp.json", ".pintle/mcp.json"];

/** Settings that name modules; relative paths start at the settings file's directory. */
export const MODULE_SETTINGS = { extensions: "extension", customTools: "custom_tool" } as const;

/** If none of these exists, nothing needs consent. */
export const FIRST_SIGNS: readonly string[] = [".pintle", "mcp.json", ".mcp.json", ...AGENT_FOLDERS];
