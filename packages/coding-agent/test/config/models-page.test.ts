import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { catalogueOf } from "@pintle/ai";
import { ModelsFile } from "../../src/config/models/models-file.ts";
import { tempHome } from "../support/config/temp-home.ts";

const PAGE = readFileSync(resolve(join(import.meta.dir, "../../../../docs/models.md")), "utf8");
const examples = [...PAGE.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) => json);
const modelFiles = examples.filter((json) => json.includes('"providers"'));

test("the page has examples of models.json", () => {
  expect(modelFiles.length).toBeGreaterThan(1);
});

test.each(modelFiles)("an example on the page is valid: %s", (json) => {
  using home = tempHome({ "models.json": json });
  const problems: string[] = [];
  const providers = new ModelsFile(home.path("models.json"), (text) => problems.push(text)).read();
  expect(problems).toEqual([]);
  for (const [provider, { modelOverrides }] of providers) {
    for (const id of modelOverrides.keys()) {
      expect(catalogueOf(provider).some(({ model }) => model.id === id)).toBe(true);
    }
  }
});
