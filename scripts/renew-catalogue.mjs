// Renews prices and context windows of the model catalogue. Output limits and thinking words stay as entered by hand.
//
//   node scripts/renew-catalogue.mjs                                   says what has changed in the installed price list
//   node scripts/renew-catalogue.mjs --write                           and writes it down
//   node scripts/renew-catalogue.mjs data.json --source "…" --date …   the same with a price list from a file
//
// The list is the package @pydantic/genai-prices (npm install --no-save @pydantic/genai-prices) or its data file. Nothing is
// downloaded here.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findBun } from "./bun.mjs";
import { root } from "./paths.mjs";

if (process.versions.bun === undefined) {
  // The catalogue is TypeScript.
  const [, ...args] = process.argv.slice(1);
  process.exit(spawnSync(findBun(), [fileURLToPath(import.meta.url), ...args], { stdio: "inherit" }).status ?? 1);
}

const PACKAGE = "@pydantic/genai-prices";
/** What the list calls providers that have another name here. */
const LIST_NAMES = { xai: "x-ai" };

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: "string" },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    write: { type: "boolean", default: false },
    to: { type: "string", default: join(root, "packages/ai/src/models/prices.ts") },
  },
});
if (!/^20\d\d-[01]\d-[0-3]\d$/.test(flags.date)) fail(`--date ${flags.date} is not a date such as 2026-11-15`);

const { prices: current } = await import("../packages/ai/src/models/prices.ts");
const list = positionals[0] === undefined ? await installedList() : listFromFile(positionals[0]);

const renewed = {};
const missing = [];
for (const [name, before] of Object.entries(current)) {
  const figures = figuresOf(name);
  if (!figures) missing.push(name);
  else renewed[name] = figures;
  if (figures && figures.join() !== before.join()) console.log(`${name}: ${before.join(" ")} → ${figures.join(" ")}`);
}
if (missing.length > 0)
  fail(`not in ${list.source}: ${missing.join(", ")}. Enter these in catalogue.ts with a source of their own.`);
if (flags.write) writeFileSync(flags.to, render(renewed));
console.log(flags.write ? `wrote ${flags.to}` : "nothing written; --write does that");

function listFromFile(path) {
  if (!flags.source) fail("a list from a file needs --source, which names it and its version");
  const content = JSON.parse(readFileSync(path, "utf8"));
  return { source: flags.source, providers: content.providers ?? content };
}

async function installedList() {
  const require = createRequire(import.meta.url);
  try {
    const { findProvider } = await import(require.resolve(PACKAGE));
    const names = new Set(Object.keys(current).map((name) => listName(name)));
    const providers = [...names].flatMap((providerId) => findProvider({ providerId }) ?? []);
    const { version } = JSON.parse(readFileSync(join(root, "node_modules", PACKAGE, "package.json"), "utf8"));
    return { source: `${PACKAGE} ${version}`, providers };
  } catch (error) {
    return fail(`${PACKAGE} cannot be used (${error.code ?? error.message}); name its data file instead`);
  }
}

/** Input, output, cache read, cache write, window. undefined: the list does not know the model, or not enough about it. */
function figuresOf(name) {
  const provider = list.providers.find(({ id }) => id === listName(name));
  const id = name.slice(name.indexOf("/") + 1);
  const models = provider?.models ?? [];
  const model = models.find((candidate) => candidate.id === id) ?? models.find(({ match }) => matches(match, id));
  const price = model && currentPrice(model.prices);
  if (!price || !model.context_window) return undefined;
  const { input_mtok: input, output_mtok: output, cache_read_mtok: read = 0, cache_write_mtok: write = 0 } = price;
  const figures = [input, output, read, write].map((value) => value?.base ?? value);
  return figures.every((value) => Number.isFinite(value)) ? [...figures, model.context_window] : undefined;
}

function listName(name) {
  const provider = name.slice(0, name.indexOf("/"));
  return LIST_NAMES[provider] ?? provider;
}

/** The latest that holds on that day at any hour; surcharges for hours and long prompts are left out, a model has one price. */
function currentPrice(prices) {
  if (!Array.isArray(prices)) return prices;
  const holds = ({ constraint }) => !constraint || (constraint.start_date && constraint.start_date <= flags.date);
  return prices.findLast(holds)?.prices;
}

function matches(rule, id) {
  const { equals, starts_with: start, ends_with: end, contains, regex, or, and } = rule ?? {};
  if (or) return or.some((part) => matches(part, id));
  if (and) return and.every((part) => matches(part, id));
  if (regex !== undefined) return new RegExp(regex).test(id);
  if (start !== undefined) return id.startsWith(start);
  if (end !== undefined) return id.endsWith(end);
  return contains === undefined ? equals === id : id.includes(contains);
}

function render(figures) {
  const rows = Object.entries(figures).map(([name, row]) => `  ${JSON.stringify(name)}: [${row.join(", ")}],`);
  return `// Written by scripts/renew-catalogue.mjs. Surcharges for long prompts or busy hours are left out: a model has one price.

export const PRICES = { source: ${JSON.stringify(list.source)}, date: ${JSON.stringify(flags.date)} };

/** USD per million tokens. */
export type Figures = readonly [input: number, output: number, cacheRead: number, cacheWrite: number, window: number];

export const prices: Readonly<Record<string, Figures>> = {
${rows.join("\n")}
};
`;
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
