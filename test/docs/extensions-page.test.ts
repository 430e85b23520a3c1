import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import published from "../../packages/coding-agent/src/extensibility/aliases/published-names.json" with {
  type: "json",
};
import { noUi } from "../../packages/coding-agent/src/extensibility/ui/no-ui.ts";
import * as surface from "../../scripts/docs/extension-surface.ts";
import { EXTENSIONS_PATH, exportStatuses, renderExtensionsPage } from "../../scripts/docs/extensions-page.ts";

const root = resolve(import.meta.dir, "../..");

test("the table of the page is that of the sources", () => {
  expect(readFileSync(join(root, EXTENSIONS_PATH), "utf8")).toBe(renderExtensionsPage());
});

const OFFERED: Record<keyof typeof published.members, object> = {
  events: surface.EVENTS,
  methods: surface.METHODS,
  context: surface.CONTEXT,
  toolContext: surface.TOOL_CONTEXT,
  commandContext: surface.COMMAND_CONTEXT,
  ui: surface.UI,
  tool: surface.TOOL_FIELDS,
  modelRegistry: surface.MODEL_REGISTRY,
  sessionManager: surface.SESSION_MANAGER,
};

test.each(Object.entries(published.members))("%s: everything that pi publishes has a status", (kind, byVersion) => {
  const offered = OFFERED[kind as keyof typeof OFFERED];
  expect(
    Object.values(byVersion)
      .flat()
      .filter((name) => !(name in offered)),
  ).toEqual([]);
});

test("what the table says of exports is true of the modules", async () => {
  expect(exportStatuses("pi-agent-core")).toMatchObject({ Agent: "works", agentLoop: "throws when called" });
  expect(exportStatuses("pi-coding-agent")).toMatchObject({
    resizeImage: "works",
    createAgentSession: "works",
    ArminComponent: "accepted without effect",
    DefaultPackageManager: "throws when called",
  });
  expect(Object.keys(surface.UI).filter((name) => !(name in noUi))).toEqual([]);
});
