import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isInside, realPath, visibleName, visiblePath } from "@pintle/foundation";
import type { TrustItem } from "@pintle/wire";
import { type CoverageLimits, CoveredFiles, digestOf } from "./covered-files.ts";
import { AGENT_FOLDERS, CODE_FOLDERS, SERVER_FILES } from "./covered-places.ts";
import { agentFilesIn, loadableIn } from "./loadable-files.ts";
import { serverNames, serverPrograms } from "./server-items.ts";
import { readSettingsClaims, type SettingsClaims } from "./settings-claims.ts";

/** How far consent to the found content can reach. */
export type ConsentReach =
  /** Consent holds as long as the content stays the same, including in later processes. */
  | "content"
  /** There is too much content to hash: consent holds for this process. */
  | "process"
  /** Some of it cannot be identified by content: only the user who starts the program can accept it. */
  | "nobody";

/** A snapshot of everything in a project that takes effect once it is trusted. */
export interface Inventory {
  /** The project's path with links resolved. */
  project: string;
  digest: string;
  items: readonly TrustItem[];
  /** Digest of every covered file by its real path. */
  files: ReadonlyMap<string, string>;
  /** Real paths of modules, or of folders that are modules. */
  units: readonly string[];
  reach: ConsentReach;
  /** Why the reach is not wider. */
  obstacle?: string;
  /** The settings file, if something in it needs consent. */
  settings?: { path: string; sha256: string };
}

export interface InventoryPlaces {
  cwd: string;
  /** pintle's own directory, whose content is the user's, whatever project contains it. */
  home: string;
  /** The user's home directory, whose agents are the user's own. */
  userHome?: string;
  limits?: CoverageLimits;
}

type FoundItem = Omit<TrustItem, "digest">;

const MAX_ITEMS = 200;

/** Undefined if there is nothing to consent to. */
export function takeInventory({ cwd, home, userHome = homedir(), limits }: InventoryPlaces): Inventory | undefined {
  const project = realPath(cwd);
  if (project === undefined) return undefined;
  const isTheUsers = (path: string) => realPath(dirname(path)) === realPath(home);
  const inProject = (name: string) => join(project, name);
  const covered = new CoveredFiles(project, limits);
  const found: FoundItem[] = [];

  for (const { path: name, kind } of CODE_FOLDERS) {
    const path = inProject(name);
    if (!existsSync(path) || isTheUsers(path)) continue;
    covered.add(path);
    found.push(...loadableIn(path).map((file) => ({ kind, ...file })));
  }
  const isUserHome = realPath(userHome) === project;
  for (const folder of isUserHome ? [] : AGENT_FOLDERS.map(inProject)) {
    if (isTheUsers(folder)) continue;
    for (const file of agentFilesIn(folder, project)) {
      covered.add(file.path);
      found.push({ kind: "agent", ...file });
    }
  }
  for (const path of SERVER_FILES.map(inProject)) {
    if (!existsSync(path) || isTheUsers(path)) continue;
    covered.add(path);
    found.push(...serverNames(path).map((server) => ({ ...server, path })));
    for (const program of serverPrograms(path, project)) covered.addNamed(program);
  }
  const claims = isTheUsers(inProject(".pintle/settings.json")) ? undefined : readSettingsClaims(project);
  if (claims) found.push(...coverClaims(covered, claims));
  if (found.length === 0) return undefined;

  const { obstacle, isCut } = covered;
  return {
    project,
    digest: digestOf([...covered.files, ...(isCut ? [{ path: "", sha256: "cut" }] : [])]),
    items: toItems(covered, found),
    files: new Map(covered.files.flatMap(({ realPath, sha256 }) => (realPath ? [[realPath, sha256] as const] : []))),
    units: [...new Set(found.flatMap(({ path }) => realPath(path) ?? []))],
    reach: obstacle !== undefined ? "nobody" : isCut ? "process" : "content",
    ...(obstacle !== undefined && { obstacle: visiblePath(obstacle) }),
    ...(claims && { settings: { path: claims.path, sha256: claims.sha256 } }),
  };
}

function coverClaims(covered: CoveredFiles, { path, sha256, keys, modules, files }: SettingsClaims): FoundItem[] {
  covered.addRead(path, sha256);
  for (const file of [...files, ...modules.map((module) => module.path)]) covered.addNamed(file);
  return [...keys.map((name) => ({ kind: "setting" as const, name, path })), ...modules];
}

/** Limits the list for readers. Omitted items are counted and are still part of the digest. */
function toItems(covered: CoveredFiles, found: readonly FoundItem[]): TrustItem[] {
  const shown = found.slice(0, MAX_ITEMS);
  const [first, ...others] = found.slice(MAX_ITEMS);
  const rest = first ? [{ ...first, name: `${first.name} and ${others.length} more` }] : [];
  return [...shown, ...rest].map(({ kind, name, path }) => ({
    kind,
    name: visibleName(name),
    path: visiblePath(path),
    digest: itemDigest(covered, path),
  }));
}

/** Returns the digest of a file, or of everything in a folder. */
function itemDigest({ files }: CoveredFiles, path: string): string {
  const real = realPath(path) ?? path;
  const own = files.filter((file) => file.realPath !== undefined && isInside(real, file.realPath));
  const [only] = own;
  return own.length === 1 && only?.realPath === real ? only.sha256 : digestOf(own);
}
