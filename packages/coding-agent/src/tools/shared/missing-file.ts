import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isSlipOf } from "@pintle/agent";
import { fileError, isMissing, isSystemError } from "@pintle/foundation";
import { displayPath } from "./paths.ts";

const MAX_HINTS = 3;
const MIN_SIMILARITY = 0.5;
const MAX_COMPARED_NAMES = 5000;

/** Returns a hint such as `Did you mean src/A.ts?`, or that the directory is missing too. */
export async function missingFileError(action: string, path: string, cwd: string, error: unknown): Promise<unknown> {
  const plain = fileError(action, displayPath(path, cwd), error);
  if (!(plain instanceof Error)) return plain;
  const hint = await hintFor(path, cwd);
  return hint ? new Error(`${plain.message} ${hint}`, { cause: error }) : plain;
}

async function hintFor(path: string, cwd: string): Promise<string | undefined> {
  const directory = dirname(path);
  const entries = await namesIn(directory);
  if (entries === "missing") return `The directory ${displayPath(directory, cwd)} does not exist either.`;
  const near = nearNames(basename(path), entries).map((name) => `\`${displayPath(join(directory, name), cwd)}\``);
  return near.length > 0 ? `Did you mean ${near.join(" or ")}?` : undefined;
}

async function namesIn(directory: string): Promise<string[] | "missing"> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return "missing";
    if (isSystemError(error)) return []; // only the hint is lost
    throw error;
  }
}

function nearNames(wanted: string, names: readonly string[]): string[] {
  return names
    .slice(0, MAX_COMPARED_NAMES)
    .map((name) => ({ name, score: similarity(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, score }) => score >= MIN_SIMILARITY || isSlipOf(wanted, name.toLowerCase()))
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_HINTS)
    .map(({ name }) => name);
}

/** Returns the similarity of two short strings from 0 to 1: the share of character pairs that they have in common. */
function similarity(a: string, b: string): number {
  const pairs = pairCounts(a);
  let common = 0;
  for (const [pair, count] of pairCounts(b)) common += Math.min(count, pairs.get(pair) ?? 0);
  return (2 * common) / (a.length + b.length + 2);
}

/** Treats the edges as characters, so that every string has pairs. */
function pairCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const framed = `\0${text}\0`;
  for (let index = 1; index < framed.length; index += 1) {
    const pair = framed.slice(index - 1, index + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
