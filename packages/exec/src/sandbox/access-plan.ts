import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { canonicalPaths, isSystemError } from "@pintle/foundation";
import type { SandboxPolicy } from "./policy.ts";
import { type ProtectedPart, protectedLinks, protectedParts } from "./protected-parts.ts";

/** `hidden`: exists, but is empty. */
export type Access = "write" | "read" | "hidden";

export interface Place {
  path: string;
  access: Access;
  isDirectory: boolean;
  /**
   * Set if the place does not exist. A placeholder for the mount is created while the command runs, and belongs to
   * `owner`.
   */
  missing?: { owner: string; content: string };
}

/** If a path appears twice, the stricter access wins. */
const STRICTNESS: Record<Access, number> = { write: 0, read: 1, hidden: 2 };

/**
 * Returns the places where access differs from read-only, as real paths, parents before children: a later place may lie inside
 * an earlier one and overrides it. Omits places that do not exist, except those that a command must not create. `canProtect`
 * says whether a part of a writable place can be read-only.
 */
export function planAccess(policy: SandboxPolicy, { canProtect }: { canProtect: boolean }): Place[] {
  const { mode, workspaces, temp, write, hide } = policy;
  const places = new Map<string, Place>();
  const add = (path: string, access: Access) => {
    const place = locate(path, access);
    const known = place && places.get(place.path);
    if (place && (!known || STRICTNESS[known.access] < STRICTNESS[access])) places.set(place.path, place);
  };
  if (mode === "workspace-write") for (const path of [...workspaces, ...temp, ...write]) add(path, "write");
  for (const path of hide) add(path, "hidden");
  // A workspace is readable even inside a hidden place.
  if (mode === "read-only") for (const path of workspaces) if (isHidden(places, path)) add(path, "read");
  if (mode === "workspace-write" && canProtect) {
    const canonical = canonicalPaths();
    for (const part of protectedParts(policy)) {
      const place = locate(part.path, "read") ?? locateMissing(part, canonical);
      if (place && effectiveAccess(places, place.path) === "write") places.set(place.path, place);
    }
    // A link is restored in the directory where it was, so that directory must not be replaced.
    const isWritable = (path: string) => effectiveAccess(places, path) === "write";
    for (const { path } of protectedLinks(policy, isWritable)) pin(places, ancestors(path));
  }
  pinAncestors(places);
  return [...places.values()].sort((a, b) => compareDepth(a.path, b.path));
}

function locate(path: string, access: Access): Place | undefined {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    const real = realpathSync.native(path);
    return { path: real, access, isDirectory: statSync(real).isDirectory() };
  } catch {
    return undefined; // missing, or also out of reach for the command
  }
}

/** Returns undefined if no directory exists in which it could be created: a command cannot create it either. */
function locateMissing(
  { path, isDirectory, owner, content = "" }: ProtectedPart,
  canonical: (path: string) => string,
): Place | undefined {
  try {
    const realOwner = realpathSync.native(owner);
    return { path: canonical(path), access: "read", isDirectory, missing: { owner: realOwner, content } };
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/**
 * A command could rename a directory together with the protected files in it, and put another directory in its place. A mount
 * point cannot be renamed, so each writable directory above a protected place becomes a mount point.
 */
function pinAncestors(places: Map<string, Place>): void {
  for (const { path, access, missing } of [...places.values()])
    if (access !== "write") pin(places, ancestors(path), missing);
}

function pin(places: Map<string, Place>, directories: readonly string[], missing?: Place["missing"]): void {
  for (const path of directories) {
    if (places.has(path) || effectiveAccess(places, path) !== "write") continue;
    const isMissing = missing && !existsSync(path);
    places.set(path, { path, access: "write", isDirectory: true, ...(isMissing && { missing }) });
  }
}

function isHidden(places: ReadonlyMap<string, Place>, path: string): boolean {
  return effectiveAccess(places, path) === "hidden";
}

/** Returns the access of the nearest place at or above the path. */
function effectiveAccess(places: ReadonlyMap<string, Place>, path: string): Access {
  for (const at of [path, ...ancestors(path)]) {
    const place = places.get(at);
    if (place) return place.access;
  }
  return "read";
}

function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestors(above)];
}

function compareDepth(a: string, b: string): number {
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
