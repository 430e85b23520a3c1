import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join, relative, resolve } from "node:path";
import { canonicalPath, isInside, isSystemError, startUpPaths } from "@pintle/foundation";
import type { SandboxPolicy } from "./policy.ts";

/** Where keys are that others log in with, and commands that a cloud's programs start. */
const KEY_FOLDERS = [".ssh", ".aws"];

/** Modules of a repository may lie in directories of their own: `modules/vendor/NAME`. */
const MODULE_DEPTH = 4;

/** Something in a writable place that stays as it is, because programs outside act on it. It need not exist. */
export interface ProtectedPart {
  path: string;
  isDirectory: boolean;
  /** The workspace, repository or home directory that it belongs to. */
  owner: string;
  /** What a placeholder has in it. */
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

/** What acts at a start, below the home directory or wherever variables say that it is. */
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

/** A link that leads to something protected. Nothing can be mounted over it, so it is put back when a command has replaced it. */
export interface ProtectedLink {
  path: string;
  target: string;
  owner: string;
}

/** The links in writable places that lead to protected parts. */
export function protectedLinks(policy: SandboxPolicy, isWritable: (path: string) => boolean): ProtectedLink[] {
  const links = new Map<string, ProtectedLink>();
  for (const { path, owner } of protectedParts(policy))
    for (const link of linksOn(path, owner)) if (isWritable(link.path)) links.set(link.path, link);
  return [...links.values()];
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Follows a path as the system does and notes each link. */
function linksOn(path: string, owner: string): ProtectedLink[] {
  const found: ProtectedLink[] = [];
  const names = relative(owner, path).split("/");
  let at = canonicalPath(owner);
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

/** Without the files of its project, as a worktree needs it. */
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
  // A link can be replaced, whatever protects its target; and with a redirect none of the parts counts.
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

/** Git reads it only if the configuration, which stays as it is, says so. */
function configOfWorktree(git: string, config: string, owner: string): ProtectedPart[] {
  const path = join(git, "config.worktree");
  return look(path) || /worktreeconfig/i.test(textOf(config)) ? [file(path, owner)] : [];
}

/** A file that makes git take hooks and configuration from elsewhere. Repositories of worktrees have it, others never. */
const redirect = (git: string) => join(git, "commondir");

/**
 * Where a command could put a redirect. Nothing can be mounted there, since even an empty one is an error to git: so they are
 * looked for when the command has ended.
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
    return undefined; // something above it is no directory or cannot be entered
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error)) return "";
    throw error;
  }
}
