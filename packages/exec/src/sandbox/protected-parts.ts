import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join, relative, resolve } from "node:path";
import { canonicalPath, isInside, startUpPaths, textOrEmpty } from "@pintle/foundation";
import type { SandboxPolicy } from "./policy.ts";

/** Where login keys are stored, and commands that cloud tools start. */
const KEY_FOLDERS = [".ssh", ".aws"];

/** Submodules of a repository may be in nested directories: `modules/vendor/NAME`. */
const MODULE_DEPTH = 4;

/** A part of a writable place that must not change, because programs outside act on it. It need not exist. */
export interface ProtectedPart {
  path: string;
  isDirectory: boolean;
  /** The workspace, repository or home directory to which it belongs. */
  owner: string;
  /** The content of a placeholder. */
  content?: string;
}

export function protectedParts(policy: SandboxPolicy): ProtectedPart[] {
  const { workspaces, write } = policy;
  const repositories = write.flatMap((place) => [join(place, ".git"), ...(isRepository(place) ? [place] : [])]);
  return [
    ...workspaces.flatMap(partsOfWorkspace),
    ...repositories.flatMap((git) => partsOfRepository(git, git)),
    ...startUpParts(policy),
  ];
}

/** Files that take effect at start-up, below the home directory or wherever variables locate them. */
export function startUpParts({ home, variables = {}, workspaces, write, temp }: SandboxPolicy): ProtectedPart[] {
  const owners = [home, ...workspaces, ...write, ...temp];
  const ownerOf = (path: string) => owners.find((owner) => isInside(owner, path)) ?? home;
  return [
    ...KEY_FOLDERS.map((name) => directory(join(home, name), home)),
    ...startUpPaths(home, variables).map(({ path, isDirectory, neutralText }) =>
      isDirectory ? directory(path, ownerOf(path)) : file(path, ownerOf(path), neutralText),
    ),
  ];
}

/** A link that leads to something protected. Nothing can be mounted over it, so it is restored if a command has replaced it. */
export interface ProtectedLink {
  path: string;
  target: string;
  owner: string;
}

/** Returns the links in writable places that lead to protected parts. */
export function protectedLinks(policy: SandboxPolicy, isWritable: (path: string) => boolean): ProtectedLink[] {
  const links = new Map<string, ProtectedLink>();
  const owners = new Map<string, string>();
  for (const { path, owner } of protectedParts(policy)) {
    const real = owners.get(owner) ?? canonicalPath(owner);
    owners.set(owner, real); // the home directory owns dozens of parts
    for (const link of linksOn(path, owner, real)) if (isWritable(link.path)) links.set(link.path, link);
  }
  return [...links.values()];
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Follows a path below its owner as the system does and records each link. */
function linksOn(path: string, owner: string, realOwner: string): ProtectedLink[] {
  const found: ProtectedLink[] = [];
  const names = relative(owner, path).split("/");
  let at = realOwner;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = resolve(at, name);
    const target = look(next)?.isSymbolicLink() ? readlinkSync(next) : undefined;
    if (target === undefined) at = next;
    else {
      if (found.push({ path: next, target, owner }) >= MAX_LINKS) break;
      names.unshift(...target.split("/"));
      if (target.startsWith("/")) at = "/";
    }
  }
  return found;
}

function directory(path: string, owner: string): ProtectedPart {
  return { path, isDirectory: true, owner };
}

function file(path: string, owner: string, content?: string): ProtectedPart {
  return { path, isDirectory: false, owner, ...(content !== undefined && { content: `${content}\n` }) };
}

/** The repository's directory without the project's files, as a worktree needs it. */
function isRepository(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => look(join(directory, name)));
}

function partsOfWorkspace(workspace: string): ProtectedPart[] {
  return [...partsOfRepository(join(workspace, ".git"), workspace), directory(join(workspace, ".pintle"), workspace)];
}

function partsOfRepository(git: string, owner: string): ProtectedPart[] {
  const found = look(git);
  if (!found) return [];
  // A file that says where the repository is (a worktree, a module) decides whose hooks are run.
  if (!found.isDirectory()) return [file(git, owner)];
  const [hooks, config] = [join(git, "hooks"), join(git, "config")];
  // A link can be replaced, whatever protects its target, and a redirect makes all of the parts ineffective.
  if ([hooks, config].some((part) => look(part)?.isSymbolicLink()) || look(redirect(git)))
    return [directory(git, owner)];
  const modules = modulesIn(join(git, "modules"), MODULE_DEPTH);
  return [
    directory(hooks, owner),
    file(config, owner),
    ...configOfWorktree(git, config, owner),
    ...modules.flatMap((module) => partsOfRepository(module, owner)),
  ];
}

/** Git reads it only if the configuration, which is protected, says so. */
function configOfWorktree(git: string, config: string, owner: string): ProtectedPart[] {
  const path = join(git, "config.worktree");
  return look(path) || /worktreeconfig/i.test(textOrEmpty(config)) ? [file(path, owner)] : [];
}

/** A file that makes git read hooks and configuration from elsewhere. Only worktree repositories have it. */
const redirect = (git: string) => join(git, "commondir");

/**
 * The paths at which a command could create a redirect. Nothing can be mounted there, because git rejects even an empty one,
 * so the sandbox checks for them after the command has ended.
 */
export function possibleRedirects(workspace: string): string[] {
  const git = join(workspace, ".git");
  if (!look(git)?.isDirectory()) return [];
  return [git, ...modulesIn(join(git, "modules"), MODULE_DEPTH)].map(redirect).filter((path) => !look(path));
}

function modulesIn(directory: string, depth: number): string[] {
  if (depth === 0 || !look(directory)?.isDirectory()) return [];
  const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.flatMap(({ name }) => {
    const module = join(directory, name);
    return look(join(module, "HEAD")) ? [module] : modulesIn(module, depth - 1);
  });
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // something above it is not a directory or cannot be entered
  }
}
