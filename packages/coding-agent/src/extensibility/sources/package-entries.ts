import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRecord } from "@pintle/ai";
import { parseConfigText, readConfigText } from "../../config/config-text.ts";
import { type ModuleFiles, moduleFilesIn, namedModules } from "./module-files.ts";

interface Item {
  key: string;
  files: ModuleFiles;
}

/** Like modules in any folder, but a folder's package.json may name its entries. */
export function extensionFilesIn(folder: string): ModuleFiles {
  const { files, faults } = moduleFilesIn(folder);
  const declared = foldersIn(folder).map((name) => ({ name, entries: declaredEntries(join(folder, name)) }));
  const byFolder = new Map(declared.flatMap(({ name, entries }) => (entries ? [[join(folder, name), entries]] : [])));
  const plain = files.filter((file) => !byFolder.has(dirname(file)));
  const items = [
    ...plain.map((file): Item => ({ key: file, files: { files: [file], faults: [] } })),
    ...[...byFolder].map(([key, entries]) => ({ key, files: entries })),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    files: items.flatMap((item) => item.files.files),
    faults: [...faults, ...items.flatMap((item) => item.files.faults)],
  };
}

/** Returns the extensions that a path names: a file, a folder that is an extension, or a folder of extensions. */
export function namedExtensions(path: string): ModuleFiles {
  const declared = declaredEntries(path);
  if (declared) return declared;
  const named = namedModules(path);
  if (["", "index.ts", "index.js"].some((name) => named.files[0] === join(path, name))) return named;
  const inside = extensionFilesIn(path);
  return inside.files.length > 0 ? inside : named;
}

/** Returns the entries in a folder's package.json, or undefined if it does not mention extensions. */
function declaredEntries(folder: string): ModuleFiles | undefined {
  const entries = manifestEntries(join(folder, "package.json"));
  if (!entries) return undefined;
  const found = entries.map((entry) => namedModules(resolve(folder, entry)));
  return { files: found.flatMap(({ files }) => files), faults: found.flatMap(({ faults }) => faults) };
}

function manifestEntries(file: string): string[] | undefined {
  const content = readConfigText(file);
  if (!content || "problem" in content) return undefined; // no such file, or not meant for pintle
  const parsed = parseConfigText(content.text, "json");
  if (!("value" in parsed) || !isRecord(parsed.value)) return undefined;
  const { pintle, pi } = parsed.value;
  const listed = (isRecord(pintle) ? pintle.extensions : undefined) ?? (isRecord(pi) ? pi.extensions : undefined);
  return Array.isArray(listed) ? listed.filter((entry) => typeof entry === "string") : undefined;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink()))
      .map(({ name }) => name);
  } catch {
    return []; // errors are reported where its files are listed
  }
}
