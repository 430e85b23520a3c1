import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { HANDLER_LIMITS } from "../../../src/extensibility/hooks/call-handler.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

const answering = (answer: string) => `export default (pi) => pi.on("resources_discover", (event) => (${answer}));`;

describe("resources_discover", () => {
  test("resolves relative paths against the extension's real file, even when it is loaded through a link", async () => {
    using folder = moduleFolder();
    const file = folder.write(
      "real/ext.ts",
      answering('{ skillPaths: ["skills", "../up", "/abs", "~/own"], promptPaths: ["./p.md"], themePaths: ["t"] }'),
    );
    mkdirSync(join(folder.path, "links"));
    symlinkSync(file, join(folder.path, "links/ext.ts"));
    await using harness = await startExtensions([], { files: [join(folder.path, "links/ext.ts")] });
    expect(await harness.runner.resources("startup")).toEqual({
      skillPaths: [join(folder.path, "real/skills"), join(folder.path, "up"), "/abs", "~/own"],
      promptPaths: [join(folder.path, "real/p.md")],
    });
  });

  test("the event holds the directory and the reason; an inline extension resolves paths against the working directory", async () => {
    const events: object[] = [];
    await using harness = await startExtensions([], {
      inline: [
        (pi) =>
          pi.on("resources_discover", (event) => {
            events.push(event);
            return { skillPaths: ["here"] };
          }),
      ],
    });
    expect(await harness.runner.resources("reload")).toEqual({ skillPaths: ["here"], promptPaths: [] });
    expect(events).toEqual([{ type: "resources_discover", cwd: harness.cwd, reason: "reload" }]);
  });

  test("reports an invalid answer as a fault of its extension, without affecting the others", async () => {
    await using harness = await startExtensions([], {
      inline: [
        (pi) => pi.on("resources_discover", () => ({ skillPaths: ["a"] })),
        (pi) =>
          pi.on("resources_discover", () => {
            throw new Error("no luck");
          }),
        (pi) => pi.on("resources_discover", () => ({ skillPaths: ["half"], promptPaths: "no list" }) as never),
        (pi) => pi.on("resources_discover", () => ({ skillPaths: [7] }) as never),
        (pi) => pi.on("resources_discover", () => ({ promptPaths: Array(201).fill("x") })),
        (pi) => pi.on("resources_discover", () => new Promise<undefined>(() => {})),
        (pi) => pi.on("resources_discover", () => undefined),
        (pi) => pi.on("resources_discover", async () => ({ promptPaths: ["z"] })),
      ],
      handlerLimits: { ...HANDLER_LIMITS, usualMs: 1_000 },
    });
    expect(await harness.runner.resources("startup")).toEqual({ skillPaths: ["a"], promptPaths: ["z"] });
    expect(harness.host.faults.map(({ path, event, error }) => [path, event, error])).toEqual([
      ["<inline:2>", "resources_discover", "no luck"],
      ["<inline:3>", "resources_discover", "promptPaths must be a list of paths"],
      ["<inline:4>", "resources_discover", "skillPaths must be a list of paths"],
      ["<inline:5>", "resources_discover", "promptPaths has more than 200 paths"],
      ["<inline:6>", "resources_discover", expect.any(String)],
    ]);
  });
});
