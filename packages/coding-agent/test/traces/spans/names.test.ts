import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { SCHEMA_URL } from "../../../src/traces/otlp/otlp-json.ts";

// The conventions change, so the names sent are those of one version.

test("every foreign name is one of the conventions, in the stated version", () => {
  const root = join(import.meta.dir, "../../../src/traces");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const sources = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const names = new Set(sources.match(/(?<=")(?:gen_ai|server|error|service|telemetry)\.[a-z_.]+(?=")/g));
  expect(names.size).toBeGreaterThan(25);
  const known = new Set<unknown>(Object.values(conventions));
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
  const manifest = join(
    import.meta.dir,
    "../../../../../node_modules/@opentelemetry/semantic-conventions/package.json",
  );
  expect(SCHEMA_URL).toEndWith(`/${JSON.parse(readFileSync(manifest, "utf8")).version}`);
});
