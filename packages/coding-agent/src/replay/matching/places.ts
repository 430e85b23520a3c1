import { tmpdir } from "node:os";
import { canonicalPath } from "../../files/canonical-path.ts";
import type { Part } from "../masking/mask.ts";

/** Directories that are elsewhere on another machine. */
export interface Places {
  cwd: string;
  /** HOME_DIR of pintle. */
  home: string;
}

type Placeholder = (part: Part) => string;

/** In requests, where they only serve the comparison. */
export function requestPlaces(places: Places): ReadonlyMap<string, Placeholder> {
  return namesFor(places, (name) => () => `<${name}>`);
}

/** In answers, where the paths are put back: a placeholder that no model writes by chance, and for parts of a path too. */
export function streamPlaces(places: Places): ReadonlyMap<string, Placeholder> {
  return namesFor(places, (name) => ({ from, to }) => {
    const range = from === 0 && to === undefined ? "" : `:${from}-${to ?? ""}`;
    return `<pintle:${name}${range}>`;
  });
}

const PLACEHOLDER = /<pintle:(cwd|home|tmp)(?::(\d+)-(\d*))?>/g;

/** For text inside JSON. However long the path is here, its parts join to the whole. */
export function restorePlaces(places: Places): (text: string) => string {
  const paths = withTmp(places);
  return (text) =>
    text.replace(PLACEHOLDER, (_, name: keyof typeof paths, from?: string, to?: string) => {
      const part = paths[name].slice(Number(from ?? 0), to ? Number(to) : undefined);
      return JSON.stringify(part).slice(1, -1);
    });
}

/** A directory may be known by its name and by the one that links lead to. The first to claim a path has it. */
function namesFor(places: Places, placeholder: (name: string) => Placeholder): Map<string, Placeholder> {
  const names = new Map<string, Placeholder>();
  for (const [name, path] of Object.entries(withTmp(places))) {
    for (const spelled of [path, canonicalPath(path)]) {
      const plain = spelled.replace(/\/+$/, "");
      if (!names.has(plain)) names.set(plain, placeholder(name));
    }
  }
  return names;
}

function withTmp({ cwd, home }: Places): Record<"cwd" | "home" | "tmp", string> {
  return { cwd, home, tmp: tmpdir() };
}
