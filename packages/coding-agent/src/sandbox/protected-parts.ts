import { lstatSync, mkdirSync, readdirSync, realpathSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxPolicy } from "./policy.ts";

/** Read by shells and by git outside the sandbox: a line in one of them is run later, with all rights. */
const START_UP_FILES = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".xprofile", ".xinitrc", ".xsessionrc"],
  ...[".config/fish", ".config/autostart", ".config/systemd", ".config/git", ".gitconfig", ".pam_environment"],
];

/** Modules of a repository may lie in directories of their own: `modules/vendor/NAME`. */
const MODULE_DEPTH = 4;

/**
 * What stays read-only in a writable workspace, because programs outside act on it. The parts that are missing are made first,
 * empty: what does not exist cannot be protected, and a command could bring its own.
 */
export function protectedParts({ workspaces, write, home }: WritablePlaces): string[] {
  const repositories = write.flatMap((place) => [join(place, ".git"), ...(isRepository(place) ? [place] : [])]);
  return [
    ...workspaces.flatMap(partsOfWorkspace),
    ...repositories.flatMap(partsOfRepository),
    ...START_UP_FILES.map((name) => join(home, name)),
  ].flatMap(real);
}

type WritablePlaces = Pick<SandboxPolicy, "workspaces" | "write" | "home">;

/** Without the files of its project, as a worktree needs it. */
function isRepository(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => look(join(directory, name)));
}

function partsOfWorkspace(workspace: string): string[] {
  return [...partsOfRepository(join(workspace, ".git")), ensureDirectory(join(workspace, ".pintle"))];
}

function partsOfRepository(git: string): string[] {
  const found = look(git);
  if (!found) return [];
  // A file that says where the repository is (a worktree, a module) decides whose hooks are run.
  if (!found.isDirectory()) return [git];
  const parts = [join(git, "hooks"), join(git, "config")];
  // A link can be replaced, whatever protects its target; and with a redirect none of the parts counts.
  if (parts.some((part) => look(part)?.isSymbolicLink()) || look(redirect(git))) return [git];
  const modules = modulesIn(join(git, "modules"), MODULE_DEPTH);
  ensureDirectory(join(git, "hooks"));
  ensureFile(join(git, "config"));
  return [...parts, ...existing(join(git, "config.worktree")), ...modules.flatMap(partsOfRepository)];
}

/** A file that makes git take hooks and configuration from elsewhere. Repositories of worktrees have it, others never. */
const redirect = (git: string) => join(git, "commondir");

/**
 * Where a command could put a redirect. Nothing can be mounted there, since even an empty one is an error to git: so they are
 * looked for when the command has ended.
 */
export function possibleRedirects(workspaces: readonly string[]): string[] {
  const repositories = workspaces.map((workspace) => join(workspace, ".git")).filter((git) => look(git)?.isDirectory());
  return repositories
    .flatMap((git) => [git, ...modulesIn(join(git, "modules"), MODULE_DEPTH)])
    .map(redirect)
    .filter((path) => !look(path));
}

function modulesIn(directory: string, depth: number): string[] {
  if (depth === 0 || !look(directory)?.isDirectory()) return [];
  const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.flatMap(({ name }) => {
    const module = join(directory, name);
    return look(join(module, "HEAD")) ? [module] : modulesIn(module, depth - 1);
  });
}

function existing(path: string): string[] {
  return look(path) ? [path] : [];
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // something above it is no directory or cannot be entered
  }
}

function ensureDirectory(path: string): string {
  if (!look(path)) tryTo(() => mkdirSync(path));
  return path;
}

function ensureFile(path: string): void {
  if (!look(path)) tryTo(() => writeFileSync(path, "", { flag: "wx" }));
}

/** A workspace in which we cannot make anything is one in which the command, with fewer rights, cannot either. */
function tryTo(make: () => void): void {
  try {
    make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EROFS" && code !== "EEXIST" && code !== "EPERM") throw error;
  }
}

function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
