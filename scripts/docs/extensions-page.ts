import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { OFFERS } from "../../packages/coding-agent/src/extensibility/aliases/alias-modules.ts";
import {
  type PublishedModule,
  publishedNames,
} from "../../packages/coding-agent/src/extensibility/aliases/stand-ins.ts";
import * as library from "../../packages/coding-agent/src/index.ts";
import * as surface from "./extension-surface.ts";

const root = resolve(import.meta.dir, "../..");

export const EXTENSIONS_PATH = "docs/extensions.md";

const BEGIN = "<!-- generated: names that extensions use -->";
const END = "<!-- end of the generated part -->";

/** Returns the page with its table regenerated; the rest of the page is hand-written. */
export function renderExtensionsPage(): string {
  const page = readFileSync(join(root, EXTENSIONS_PATH), "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${EXTENSIONS_PATH} has no generated part`);
  return `${before}${BEGIN}\n${table()}${END}${after}`;
}

/** Returns the status of every published export of a module. */
export function exportStatuses(module: PublishedModule): Record<string, surface.Status> {
  const { works, inert = {} } = OFFERS[module];
  const own: object = module === "pi-coding-agent" ? library : {};
  const statusOf = (name: string) => {
    if (name in works || name in own) return surface.WORKS;
    return name in inert ? surface.INERT : surface.THROWS;
  };
  return Object.fromEntries(publishedNames(module).map((name) => [name, statusOf(name)]));
}

const ROWS: readonly [of: string, statuses: () => Record<string, surface.Status>][] = [
  ["events", () => surface.EVENTS],
  ["`pi`", () => surface.METHODS],
  ["`ctx`", () => surface.CONTEXT],
  ["`ctx` of tools", () => surface.TOOL_CONTEXT],
  ["`ctx` of commands", () => surface.COMMAND_CONTEXT],
  ["`ctx.ui`", () => surface.UI],
  ["`ctx.modelRegistry`", () => surface.MODEL_REGISTRY],
  ["`ctx.sessionManager`", () => surface.SESSION_MANAGER],
  ["fields of a tool", () => surface.TOOL_FIELDS],
  ...modules().map((module): (typeof ROWS)[number] => [`\`${module}\``, () => exportStatuses(module)]),
];

function modules(): PublishedModule[] {
  return Object.keys(OFFERS).filter((name): name is PublishedModule => name in OFFERS);
}

function table(): string {
  const lines = ROWS.flatMap(([of, statuses]) => {
    const byStatus = Map.groupBy(Object.entries(statuses()), ([, status]) => status);
    return [surface.WORKS, surface.INERT, surface.THROWS].flatMap((status) => {
      const names = byStatus.get(status as surface.Status)?.map(([name]) => `\`${name}\``);
      return names ? [`| ${of} | ${status} | ${names.sort().join(" ")} |`] : [];
    });
  });
  return ["", "| of | status | names |", "|---|---|---|", ...lines, "", ""].join("\n");
}
