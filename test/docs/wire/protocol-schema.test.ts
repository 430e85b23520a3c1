import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "@pintle/wire";
import { gatewayCommands } from "@pintle/wire/gateway";
import { pascal, protocolSchema } from "@pintle/wire/schemas";
import { Compile } from "typebox/schema";
import { DIALECTS } from "../../../packages/coding-agent/src/modes/rpc/dialects/dialect.ts";
import { repository } from "../../../packages/coding-agent/test/support/program.ts";
import { sampleOf } from "../../../packages/coding-agent/test/support/schema-sample.ts";
import { renderProtocolSchema } from "../../../scripts/docs/wire/protocol-schema.ts";
import { scratchDirectory } from "../../support/scratch-directory.mjs";

const schema = protocolSchema();
const { $defs } = schema;

test("docs/protocol.schema.json is up to date", () => {
  const stored = readFileSync(join(repository, "docs/protocol.schema.json"), "utf8");
  expect(stored === renderProtocolSchema(), "It does not match the declarations. Run: npm run docs").toBe(true);
});

test("it is deterministic", () => {
  expect(renderProtocolSchema()).toBe(renderProtocolSchema());
});

test("every reference resolves", () => {
  const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string);
  const known = new Set(Object.keys($defs).map((name) => `#/$defs/${name}`));
  expect(refs.filter((ref) => !known.has(ref))).toEqual([]);
  expect(refs.length).toBeGreaterThan(200);
});

test("every definition is used", () => {
  const text = JSON.stringify(schema);
  const unused = Object.keys($defs).filter((name) => !text.includes(`"#/$defs/${name}"`));
  expect(unused).toEqual([]);
});

test("every definition is a schema that can be compiled, and refuses something", () => {
  const faults = Object.entries($defs).flatMap(([name, definition]) => {
    const validator = Compile({ $defs, ...definition } as never);
    const isRight = validator.Check(sampleOf(definition, $defs)) && !validator.Check([null]);
    return isRight ? [] : [name];
  });
  expect(faults).toEqual([]);
});

test("uses only keywords of JSON Schema 2020-12 and its types", () => {
  const KEYWORDS =
    /^(?:\$ref|type|const|enum|anyOf|items|properties|required|additionalProperties|not|pattern|examples|description)$/;
  const TYPES = /^(?:object|array|string|number|integer|boolean|null)$/;
  const faults: string[] = [];
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return void faults.push(`${path}: ${String(node)}`);
    for (const [key, value] of Object.entries(node)) {
      if (!KEYWORDS.test(key)) faults.push(`${path}/${key}`);
      if (key === "type" && !TYPES.test(String(value))) faults.push(`${path}: type ${String(value)}`);
      if (key === "properties") for (const [name, field] of Object.entries(value)) walk(field, `${path}/${name}`);
      if (key === "anyOf") for (const [index, option] of Object.entries(value)) walk(option, `${path}/${index}`);
      if (key === "items" || key === "additionalProperties") walk(value, `${path}/${key}`);
    }
  };
  for (const [name, definition] of Object.entries($defs)) walk(definition, name);
  expect(faults).toEqual([]);
});

test("every command has a frame and a response, every frame of the dialects a declaration", () => {
  const names = Object.keys(commands).flatMap((name) => [`${pascal(name)}Command`, `${pascal(name)}Response`]);
  expect(names.filter((name) => !$defs[name])).toEqual([]);
  const declared = new Set(
    [...JSON.stringify($defs).matchAll(/"type":\{"type":"string","const":"(\w+)"/g)].map((m) => m[1]),
  );
  const converted = Object.values(DIALECTS).flatMap(({ frames }) => Object.keys(frames));
  expect(converted.filter((type) => !declared.has(type))).toEqual([]);
});

test("a gateway's commands are separate from the plain ones of the same name", () => {
  const names = Object.keys(gatewayCommands).flatMap((name) => [
    `Gateway${pascal(name)}Command`,
    `Gateway${pascal(name)}Response`,
  ]);
  expect(names.filter((name) => !$defs[name])).toEqual([]);
  expect($defs.GatewayOpenSessionCommand?.properties).toHaveProperty("cwd");
  expect($defs.OpenSessionCommand?.properties).not.toHaveProperty("cwd");
});

test("additional keys are allowed everywhere", () => {
  expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
});

test("the program contains none of it", () => {
  using scratch = scratchDirectory();
  const metafile = join(scratch.path, "meta.json");
  const out = join(scratch.path, "out.js");
  const entry = "packages/coding-agent/src/cli.ts";
  Bun.spawnSync([process.execPath, "build", entry, "--target=bun", `--metafile=${metafile}`, "--outfile", out], {
    cwd: repository,
  });
  const modules = Object.keys(JSON.parse(readFileSync(metafile, "utf8")).inputs);
  const reference = /^scripts\/|event-schema|wire\/src\/(data|events|schema)\/|src\/schemas\.ts/;
  expect(modules.filter((path) => reference.test(path))).toEqual([]);
  expect(modules).toContain("packages/wire/src/commands/commands.ts");
});
