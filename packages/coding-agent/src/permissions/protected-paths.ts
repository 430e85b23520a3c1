import { homedir } from "node:os";
import { namesBelow } from "../files/path-containment.ts";

/** What tools never touch unless a rule of the host or the user names exactly that file. Names as nameKey writes them. */

/** Run by the shell at its next start, below the home directory. */
const START_UP_FILES = new Set(
  (
    ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .mkshrc .pam_environment .profile .tcshrc " +
    ".xinitrc .xprofile .xsession .zlogin .zlogout .zprofile .zshenv .zshrc"
  ).split(" "),
);

const START_UP_FOLDERS = [
  [".config", "fish"],
  [".config", "autostart"],
  [".config", "systemd"],
];

/** Why a tool may not touch a path, links followed, whatever the preset. */
export function pathProtection(
  real: string,
  access: "read" | "write",
  { home = homedir(), ownDirectory }: { home?: string; ownDirectory?: string } = {},
): string | undefined {
  const belowHome = namesBelow(real, home);
  if (ownDirectory !== undefined && namesBelow(real, ownDirectory)?.[0] === "auth.json") return "keys are in auth.json";
  if (belowHome?.[0] === ".ssh") return "keys of the user are in ~/.ssh";
  if (access === "read") return undefined;
  if (isGitControl(namesBelow(real, "/") ?? [])) return "git runs what stands there";
  if (belowHome && isStartUpFile(belowHome)) return "the shell runs what stands there";
  return undefined;
}

function isStartUpFile(names: readonly string[]): boolean {
  const [first = ""] = names;
  if (names.length === 1 && (START_UP_FILES.has(first) || first === ".gitconfig")) return true;
  if (first === ".config" && names[1] === "git") return true;
  return START_UP_FOLDERS.some((folder) => folder.every((name, index) => name === names[index]));
}

/** All of a repository's own files: configuration, hooks, and names that lead git to others of them elsewhere. */
function isGitControl(names: readonly string[]): boolean {
  return names.includes(".git");
}
