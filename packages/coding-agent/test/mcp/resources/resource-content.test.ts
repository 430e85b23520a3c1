import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { readResource } from "../../../src/mcp/resources/resource-content.ts";

const SETTINGS: Record<string, unknown> = {
  "tools.maxOutputLines": 2000,
  "tools.maxOutputBytes": 51_200,
  "tools.maxSpillBytes": 1_000_000,
};

test("does not fill the disk with files for a resource of very many binary parts", async () => {
  using scratch = scratchDirectory();
  const folder = scratch.path;
  let count = 0;
  const context = {
    settings: { get: ((key: string) => SETTINGS[key]) as never },
    takesImages: () => true,
    newSpillPath: async () => {
      count += 1;
      return join(folder, `${count}.log`);
    },
  };
  const contents = Array.from({ length: 200 }, (_, index) => ({ uri: `x://${index}`, blob: "AAAA" }));
  const server = { name: "web", ask: async () => ({ contents }) };
  const { content } = await readResource(server, "x://all", context, new AbortController().signal);
  expect(readdirSync(folder).length).toBe(20);
  expect(JSON.stringify(content)).toContain("one more part with data was left out");
});
