import { basename, join } from "node:path";
import { parseFrontMatter, plainLine } from "@pintle/foundation";
import { LEAVES_TEXT, readTextFile } from "../places/read-text-file.ts";
import { isExpected, type ResourcePlace, type ResourceSource } from "../places/resource-places.ts";
import { kindOf, walkFolders } from "../places/walk-folders.ts";

/** A prompt that the user sends with `/name`. */
export interface PromptTemplate {
  name: string;
  description: string;
  /** Hint about its arguments. */
  hint?: string;
  text: string;
  path: string;
  source: ResourceSource;
}

const MAX_TEMPLATES = 500;
const MAX_BYTES = 256 * 1024;
const MAX_SHORT = 60;
const MAX_DESCRIPTION = 1024;

/** Finds the templates in these places. The first of two templates with the same name wins. */
export function findTemplates(places: readonly ResourcePlace[], warn: (text: string) => void): PromptTemplate[] {
  const byName = new Map<string, PromptTemplate>();
  for (const place of places) {
    for (const path of templateFiles(place, warn)) {
      if (byName.size >= MAX_TEMPLATES) return [...byName.values()];
      const template = readTemplate(path, place, warn);
      if (template && !byName.has(template.name)) byName.set(template.name, template);
    }
  }
  return [...byName.values()];
}

function readTemplate(
  path: string,
  { source, within }: ResourcePlace,
  warn: (text: string) => void,
): PromptTemplate | undefined {
  const complain = (text: string) => warn(`${plainLine(path)}: ${text}`);
  const name = basename(path, ".md");
  if (name !== plainLine(name) || /\s/.test(name)) {
    complain("a name with spaces or control characters cannot be called");
    return undefined;
  }
  const file = readTextFile(path, { maxBytes: MAX_BYTES, within });
  if (!file) return undefined;
  if ("problem" in file) {
    complain(file.problem);
    return undefined;
  }
  if (file.isCut) complain(`is larger than ${MAX_BYTES / 1024} KB; only the beginning is used`);
  const { fields, body, problem } = parseFrontMatter(file.text);
  if (problem !== undefined) complain("the front matter is not valid YAML and was read line by line");
  const hint = hintOf(fields["argument-hint"]);
  return {
    name,
    description:
      typeof fields.description === "string"
        ? plainLine(fields.description).slice(0, MAX_DESCRIPTION)
        : firstLine(body),
    ...(hint !== undefined && { hint }),
    text: body,
    path,
    source,
  };
}

function firstLine(body: string): string {
  const line = plainLine(body.split("\n").find((text) => text.trim() !== "") ?? "");
  return line.length > MAX_SHORT ? `${line.slice(0, MAX_SHORT)}...` : line;
}

function templateFiles(place: ResourcePlace, warn: (text: string) => void): string[] {
  const { path, within } = place;
  const kind = kindOf(path);
  if (kind === "file") return [path];
  if (kind === undefined && isExpected(place)) warn(`${plainLine(path)}: no such file or folder`);
  const [folder] = walkFolders(path, {
    within,
    maxFolders: 1,
    maxDepth: 0,
    enter: () => false,
    onLeaving: () => warn(`${plainLine(path)}: ${LEAVES_TEXT}`),
  });
  return (folder?.names ?? []).filter((name) => name.endsWith(".md")).map((name) => join(path, name));
}

/** YAML reads `[file]` as a list, but people write hints that way. */
function hintOf(written: unknown): string | undefined {
  const text = Array.isArray(written) ? `[${written.join(", ")}]` : written;
  return typeof text === "string" && text.trim() !== "" ? plainLine(text) : undefined;
}
