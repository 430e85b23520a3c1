import { tmpdir } from "node:os";
import { canonicalPath } from "@pintle/foundation";
import type { Part } from "../masking/mask.ts";

/** Directories that differ between machines. */
export interface Places {
  cwd: string;
  /** HOME_DIR of pintle. */
  home: string;
}

type Placeholder = (part: Part) => string;

/** Placeholders in requests, which are only compared. */
export function requestPlaces(places: Places): ReadonlyMap<string, Placeholder> {
  return namesFor(places, (name) => () => `<${name}>`);
}

/** Placeholders in answers, where the paths are restored. No model writes them by chance, and they also cover parts of a path. */
export function streamPlaces(places: Places): ReadonlyMap<string, Placeholder> {
  return namesFor(places, (name) => ({ from, to }) => {
    const range = from === 0 && to === undefined ? "" : `:${from}-${to ?? ""}`;
    return `<pintle:${name}${range}>`;
  });
}

const PLACEHOLDER = /<pintle:(cwd|home|tmp)(?::(\d+)-(\d*))?>/g;

/** For text inside JSON, where a path may arrive in parts. */
export function restorePlaces(places: Places): (text: string) => string {
  const paths = withTmp(places);
  return (text) =>
    text.replace(PLACEHOLDER, (_, name: keyof typeof paths, from?: string, to?: string) => {
      const part = paths[name].slice(Number(from ?? 0), to ? Number(to) : undefined);
      return JSON.stringify(part).slice(1, -1);
    });
}

/** A directory may have a name and a resolved path. The first entry for a path wins. */
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
