import { isAbsolute, join } from "node:path";

/** A file or directory that shells, login managers or git execute or read at their next start. */
export interface StartUpPath {
  path: string;
  /** True if every file in it takes effect at a start. */
  isDirectory: boolean;
  /** What a placeholder must contain if an empty file of that name would hide something from its reader. */
  neutralText?: string;
}

/**
 * Files below the home directory that shells, login managers and git execute or read at their next start. A line in one of them
 * runs with all of the user's rights, later and outside any sandbox.
 */
const FILES = (
  ".bash_aliases .bash_completion .bash_login .bash_logout .bash_profile .bashrc .cshrc .gitconfig .inputrc .kshrc .login .logout " +
  ".mkshrc .pam_environment .profile .tcshrc .xinitrc .xprofile .xsession .xsessionrc"
).split(" ");

/** Read from `ZDOTDIR` if that is set. */
const ZSH_FILES = ".zlogin .zlogout .zprofile .zshenv .zshrc".split(" ");

/** Folders in which every file takes effect: below `XDG_CONFIG_HOME` and `XDG_DATA_HOME`. */
const CONFIG_FOLDERS = "autostart environment.d fish git plasma-workspace systemd".split(" ");
const DATA_FOLDERS = ["systemd"];

/**
 * bash does not read `.profile` if there is a `.bash_profile`. With this content, a login during a command works as
 * before.
 */
const NEUTRAL_TEXTS: Readonly<Record<string, string>> = {
  ".bash_profile": "if [ -s ~/.bash_login ]; then . ~/.bash_login; elif [ -r ~/.profile ]; then . ~/.profile; fi",
  ".inputrc": "$include /etc/inputrc",
  ".tcshrc": "if (-r ~/.cshrc) source ~/.cshrc",
  ".xinitrc": "[ -r /etc/X11/xinit/xinitrc ] && . /etc/X11/xinit/xinitrc",
  ".xsession": "exec x-session-manager",
};

/**
 * Environment variables, some of which move start-up files elsewhere. Programs that ignore them use the default locations.
 */
export type StartUpVariables = Readonly<Record<string, string | undefined>>;

/** Returns all of them, whether they exist or not. */
export function startUpPaths(home: string, variables: StartUpVariables): StartUpPath[] {
  const { ZDOTDIR, XDG_CONFIG_HOME, XDG_DATA_HOME } = variables;
  const below = (directories: readonly (string | undefined)[], names: readonly string[]): string[] =>
    [...new Set(directories)].flatMap((directory) =>
      directory !== undefined && isAbsolute(directory) ? names.map((name) => join(directory, name)) : [],
    );
  const folders = [
    ...below([join(home, ".config"), XDG_CONFIG_HOME], CONFIG_FOLDERS),
    ...below([join(home, ".local/share"), XDG_DATA_HOME], DATA_FOLDERS),
  ];
  return [
    ...folders.map((path) => ({ path, isDirectory: true })),
    ...FILES.map((name) => file(join(home, name), NEUTRAL_TEXTS[name])),
    ...below([home, ZDOTDIR], ZSH_FILES).map((path) => file(path)),
  ];
}

function file(path: string, neutralText?: string): StartUpPath {
  return { path, isDirectory: false, ...(neutralText !== undefined && { neutralText }) };
}
