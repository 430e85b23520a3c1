// Generates the model lists of the catalogue (packages/ai/src/models/lists) from the pinned package @pydantic/genai-prices.
//
//   node scripts/renew-catalogue.mjs                     prints what would change
//   node scripts/renew-catalogue.mjs --write --date D    writes the lists; D is the day the package was published
//
// A list has prices and context windows. What it lacks (output limits, thinking levels, quirks) is entered by hand in
// packages/ai/src/models/catalogue.ts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findBun } from "./bun.mjs";
import { root } from "./paths.mjs";

const PACKAGE = "@pydantic/genai-prices";
/** Provider → its id in the price list. Providers that the list lacks are left out. */
const PROVIDERS = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  deepseek: "deepseek",
  xai: "x-ai",
  openrouter: "openrouter",
  mistral: "mistral",
  zai: "zai",
  moonshotai: "moonshotai",
  minimax: "minimax",
  groq: "groq",
  cerebras: "cerebras",
  fireworks: "fireworks",
};
/**
 * Hugging Face forwards a request to the company that the id names after a colon (`openai/gpt-oss-120b:groq`), and the list has
 * the prices per company. Without that part the account's preferences choose the company, so the price is unknown.
 */
const HUGGING_FACE = ["groq", "hyperbolic", "nebius", "novita", "nscale", "ovhcloud", "sambanova", "together"];
/** Models that cannot hold a conversation with tools, by words in their ids. */
const NOT_CHAT =
  /embed|whisper|tts|speech|audio|voice|voxtral|realtime|transcribe|moderation|image|video|vision|guard|ocr|rerank|live|search|deep-research|computer-use|^ft:|:free$|:extended$|:online$/i;
/** Models that their vendors have retired or replaced at least twice; unlisted ids can still be used. */
const RETIRED =
  /claude-[23]|claude-(opus|sonnet)-4-0|gemini-(1\.|2\.0|pro|flash-1)|gpt-(3|4-|4o-2)|chatgpt|\bo1|grok-[23]/;
/** The list also has models that only Vertex serves, and open models that OpenAI does not serve itself. */
const ONLY = { google: /^gemini/, openai: /^(?!gpt-oss)/ };
/** The system prompt, the tools and a few files need this much. */
const SMALLEST_WINDOW = 64_000;

/**
 * Returns the generated files by name.
 *
 * @param {(id: string) => { models: object[] } | undefined} findProvider
 * @param {{ version: string, date: string }} origin
 */
export function generateLists(findProvider, { version, date }) {
  const source = `${PACKAGE} ${version}`;
  const files = { "source.ts": sourceFile(source, date) };
  for (const [provider, listed] of Object.entries(PROVIDERS)) {
    const models = findProvider(listed)?.models;
    if (!models) throw new Error(`${source} has no provider ${listed}`);
    const rows = models.flatMap((model) => rowOf(requestId(model), model, { provider, date }));
    files[`${provider}.ts`] = listFile(source, unique(rows));
  }
  files["huggingface.ts"] = listFile(
    source,
    HUGGING_FACE.flatMap((company) => huggingFaceRows(findProvider(`huggingface_${company}`), company, date)),
  );
  return files;
}

function huggingFaceRows(listed, company, date) {
  if (!listed) throw new Error(`${PACKAGE} has no provider huggingface_${company}`);
  return listed.models.flatMap((model) => {
    const rows = rowOf(model.id, model, { provider: "huggingface", date });
    return rows.map(([id, name, ...figures]) => [`${id}:${company}`, `${name} (${company})`, ...figures]);
  });
}

/** Returns the row of a usable model, or nothing. */
function rowOf(id, model, { provider, date }) {
  const price = currentPrice(model.prices, date);
  if (!id || !price || model.deprecated || NOT_CHAT.test(id) || RETIRED.test(id) || !(ONLY[provider]?.test(id) ?? true))
    return [];
  if (!(model.context_window >= SMALLEST_WINDOW)) return [];
  const { input_mtok: input, output_mtok: output, cache_read_mtok: read = 0, cache_write_mtok: write = 0 } = price;
  const figures = [input, output, read, write].map((value) => value?.base ?? value);
  if (!figures.every(Number.isFinite) || figures[0] <= 0 || figures[1] <= 0) return [];
  const name = (model.name ?? id).replace(/\s+/g, " ").trim();
  return [[id, name, ...figures, model.context_window]];
}

/**
 * Returns the id that requests use: the list's own if its rule accepts it, otherwise the first that the rule names
 * exactly.
 */
function requestId({ id, match }) {
  return matches(match, id) ? id : exactIds(match)[0];
}

function exactIds(rule) {
  return rule.equals !== undefined ? [rule.equals] : [...(rule.or ?? []), ...(rule.and ?? [])].flatMap(exactIds);
}

function matches(rule, id) {
  const { equals, starts_with: start, ends_with: end, contains, regex, or, and } = rule;
  if (or) return or.some((part) => matches(part, id));
  if (and) return and.every((part) => matches(part, id));
  if (regex !== undefined) return new RegExp(regex).test(id);
  if (start !== undefined) return id.startsWith(start);
  if (end !== undefined) return id.endsWith(end);
  return contains === undefined ? equals === id : id.includes(contains);
}

/**
 * Returns the latest price that applies on that day at any hour. Surcharges for certain hours and long prompts are left
 * out.
 */
function currentPrice(prices, date) {
  if (!Array.isArray(prices)) return prices;
  const applies = ({ constraint }) => !constraint || (constraint.start_date && constraint.start_date <= date);
  return prices.findLast(applies)?.prices;
}

function unique(rows) {
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}

function sourceFile(source, date) {
  return `${head(source)}
export const PRICE_LIST = { source: ${JSON.stringify(source)}, date: ${JSON.stringify(date)} };
`;
}

function listFile(source, rows) {
  const text = rows.map((row) => row.join("\t").replace(/[`\\$]/g, "")).join("\n");
  return `${head(source)}// id, name, USD per million tokens (input, output, cache read, cache write), context window
export const rows = \`
${text}
\`;
`;
}

function head(source) {
  return `// Generated by scripts/renew-catalogue.mjs from ${source}. Do not edit.\n`;
}

async function main() {
  const { values: flags } = parseArgs({ options: { date: { type: "string" }, write: { type: "boolean" } } });
  const directory = join(root, "packages/ai/src/models/lists");
  const { version } = JSON.parse(readFileSync(join(root, "node_modules", PACKAGE, "package.json"), "utf8"));
  const { findProvider } = await import(PACKAGE);
  const current = readLists(directory);
  const date = flags.date ?? /date: "([^"]*)"/.exec(current["source.ts"] ?? "")?.[1] ?? "";
  if (!/^20\d\d-[01]\d-[0-3]\d$/.test(date)) fail("--date names the day the package was published, such as 2026-09-23");
  const lists = generateLists((providerId) => findProvider({ providerId }), { version, date });
  const changed = Object.keys({ ...current, ...lists }).filter((name) => current[name] !== lists[name]);
  for (const name of changed) console.log(`${name}: ${describe(current[name], lists[name])}`);
  if (!flags.write) {
    console.log(changed.length === 0 ? "The lists are up to date." : "Nothing was written; --write writes the lists.");
    return;
  }
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(lists)) writeFileSync(join(directory, name), text);
}

function readLists(directory) {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")]));
}

function describe(before, after) {
  if (before === undefined) return "new";
  if (after === undefined) return "removed";
  const lines = (text) => new Set(text.split("\n"));
  const added = [...lines(after).difference(lines(before))];
  const removed = [...lines(before).difference(lines(after))];
  return [...removed.map((line) => `\n  - ${line}`), ...added.map((line) => `\n  + ${line}`)].join("");
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Set methods and the TypeScript sources require Bun.
  if (process.versions.bun !== undefined) await main();
  else process.exit(spawnSync(findBun(), process.argv.slice(1), { stdio: "inherit" }).status ?? 1);
}
