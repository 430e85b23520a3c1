import { beforeAll, describe, expect, test } from "bun:test";
import { rejection } from "../../../../ai/test/support/rejection.ts";
import { provideAliases } from "../../../src/extensibility/aliases/alias-modules.ts";
import published from "../../../src/extensibility/aliases/published-names.json" with { type: "json" };
import { type PublishedModule, publishedNames } from "../../../src/extensibility/aliases/stand-ins.ts";
import { importFile } from "../../../src/extensibility/loading/imported-files.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

const CODING_AGENT = [
  "defineTool",
  "createBashTool",
  "createReadTool",
  "createWriteTool",
  "createEditTool",
  "createGrepTool",
  "createFindTool",
  "createLsTool",
  "createBashToolDefinition",
  "createReadToolDefinition",
  "createWriteToolDefinition",
  "createEditToolDefinition",
  "createGrepToolDefinition",
  "createFindToolDefinition",
  "createLsToolDefinition",
  "createLocalBashOperations",
  "withFileMutationQueue",
  "truncateHead",
  "truncateTail",
  "truncateLine",
  "formatSize",
  "DEFAULT_MAX_BYTES",
  "DEFAULT_MAX_LINES",
  "getAgentDir",
  "VERSION",
  "parseFrontmatter",
  "stripFrontmatter",
  "convertToLlm",
  "serializeConversation",
  "isToolCallEventType",
  "isBashToolResult",
  "isReadToolResult",
  "isEditToolResult",
  "isWriteToolResult",
  "isGrepToolResult",
  "isFindToolResult",
  "isLsToolResult",
  "SessionManager",
  "SettingsManager",
  "AuthStorage",
  "ModelRegistry",
  "createAgentSession",
  "createEventBus",
  "estimateTokens",
  "calculateContextTokens",
  "CustomEditor",
  "BorderedLoader",
  "DynamicBorder",
  "getMarkdownTheme",
  "getSettingsListTheme",
  "getSelectListTheme",
  "highlightCode",
  "getLanguageFromPath",
  "keyHint",
  "keyText",
  "rawKeyHint",
  "Theme",
];
const AI = [
  "Type",
  "StringEnum",
  "complete",
  "stream",
  "completeSimple",
  "streamSimple",
  "getModel",
  "getModels",
  "getProviders",
  "calculateCost",
  "createAssistantMessageEventStream",
  "streamSimpleAnthropic",
  "streamSimpleOpenAIResponses",
  "streamSimpleOpenAICompletions",
];
const TUI = [
  "Text",
  "Box",
  "Container",
  "Spacer",
  "Markdown",
  "SelectList",
  "SettingsList",
  "Editor",
  "Input",
  "Image",
  "TUI",
  "Key",
  "matchesKey",
  "isKeyRelease",
  "parseKey",
  "truncateToWidth",
  "visibleWidth",
  "wrapTextWithAnsi",
  "fuzzyFilter",
  "CURSOR_MARKER",
];

const ROWS = ["@earendil-works", "@mariozechner"]
  .flatMap((scope): [string, string[]][] => [
    [`${scope}/pi-coding-agent`, CODING_AGENT],
    [`${scope}/pi-ai`, AI],
    [`${scope}/pi-tui`, TUI],
  ])
  .concat([
    ["pintle", [...CODING_AGENT, "defineCustomTool", "complete", "stream", "StringEnum", "Type"]],
    ["@oh-my-pi/pi-coding-agent", CODING_AGENT],
    ["@f5-sales-demo/xcsh", CODING_AGENT],
    ["typebox", ["Type"]],
    ["@sinclair/typebox", ["Type"]],
    ["typebox/value", ["Value"]],
    ["typebox/compile", ["Compile"]],
    ["@sinclair/typebox/compiler", ["TypeCompiler"]],
  ]);

beforeAll(() => provideAliases(() => import("../../../src/index.ts")));

/** Loads a module from disk, like a user's module. */
async function load(text: string): Promise<Record<string, unknown>> {
  using folder = moduleFolder();
  return (await importFile(folder.write("module.ts", text))) as Record<string, unknown>;
}

describe("packages that extensions import", () => {
  test.each(ROWS)("%s exports every name", async (specifier, names) => {
    const module = await load(
      `import { ${names.join(", ")} } from "${specifier}";\nexport default { ${names.join(", ")} };`,
    );
    const missing = Object.entries(module.default as object).flatMap(([name, value]) =>
      value === undefined ? [name] : [],
    );
    expect(missing).toEqual([]);
  });

  test("both scopes and all files of an extension share the same modules", async () => {
    using folder = moduleFolder();
    folder.write("helper.ts", 'export { Type } from "@mariozechner/pi-ai"; export { createReadTool } from "pintle";');
    const file = folder.write(
      "entry.ts",
      `import { createReadTool, createReadToolDefinition } from "@earendil-works/pi-coding-agent";
       import { Type } from "typebox";
       import * as helper from "./helper.ts";
       export default [helper.Type === Type, helper.createReadTool === createReadTool,
         createReadToolDefinition === createReadTool];`,
    );
    expect(((await importFile(file)) as { default: unknown }).default).toEqual([true, true, true]);
  });

  test.each(Object.keys(published.modules))("%s exports every published name", async (name) => {
    const names = publishedNames(name as PublishedModule);
    const specifier = `@earendil-works/${name}`;
    const module = await load(
      `import { ${names.join(", ")} } from "${specifier}";\nexport default [${names.join(", ")}];`,
    );
    expect((module.default as unknown[]).filter((value) => value === undefined)).toEqual([]);
  });

  test("an export without a purpose in pintle can be extended, and throws when called or constructed", async () => {
    const module = await load(`
      import { registerApiProvider, ModelsError } from "@earendil-works/pi-ai";
      class Mine extends ModelsError {}
      export default { call: registerApiProvider, construct: () => new Mine() };`);
    const { call, construct } = module.default as Record<string, () => void>;
    expect(call).toThrow('"registerApiProvider" is not available in pintle');
    expect(construct).toThrow('"ModelsError" is not available in pintle');
  });

  test("importing a name that no version exports fails the module", async () => {
    const loading = load('import { neverPublished } from "@earendil-works/pi-ai"; export default neverPublished;');
    expect(String(await rejection(loading))).toContain("neverPublished");
  });

  test("drawing components can be extended, constructed and called, and do nothing", async () => {
    const module = await load(`
      import { CustomEditor, getMarkdownTheme, highlightCode, keyHint } from "@earendil-works/pi-coding-agent";
      import { Box, Text, Key, matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi, fuzzyFilter } from "@earendil-works/pi-tui";
      class Mine extends CustomEditor { handleInput(data) { super.handleInput(data); return "mine"; } }
      const box = new Box(1, 1, (text) => text);
      box.addChild(new Text("t", 0, 0));
      export default {
        mine: new Mine({}, {}, {}).handleInput("x"), lines: box.render(80), children: box.children.length,
        theme: getMarkdownTheme().heading("h"), code: highlightCode("a\\nb", "ts"), hint: keyHint("k", "to go"),
        key: Key.ctrlAlt("p"), escape: String(Key.escape), matches: matchesKey("x", Key.escape),
        cut: truncateToWidth("abcdefgh", 5), short: truncateToWidth("abc", 5), width: visibleWidth("ab"),
        wrapped: wrapTextWithAnsi("abcde\\nf", 2), found: fuzzyFilter(["alpha", "beta"], "ap", (item) => item),
      };`);
    expect(module.default).toEqual({
      mine: "mine",
      lines: [],
      children: 1,
      theme: "h",
      code: ["a", "b"],
      hint: "to go",
      key: "ctrlAlt+p",
      escape: "escape",
      matches: false,
      cut: "ab...",
      short: "abc",
      width: 2,
      wrapped: ["ab", "cd", "e", "f"],
      found: ["alpha"],
    });
  });
});
