import { type Attempt, LANDLOCK_TREE } from "./attempt.ts";

const passes = { passes: LANDLOCK_TREE } as const;

/** Start-up files that do not exist in the arena's home directory. */
const ABSENT_NAMES = [
  ".bash_aliases",
  ".bash_login",
  ".bash_profile",
  ".zshenv",
  ".gitconfig",
  ".ssh/authorized_keys",
  ".config/systemd/user/x.service",
  ".config/autostart/x.desktop",
  ".config/environment.d/x.conf",
];

/** Attempts to change what programs outside act on: hooks, configuration, start-up files, pintle's own directory. */
export const PROTECTED: readonly Attempt[] = [
  { name: "write a hook of git", run: { sh: "echo x > .git/hooks/pre-commit" }, partial: passes },
  { name: "write the configuration of git", run: { sh: "echo '[core]' >> .git/config" }, partial: passes },
  { name: "have git change its configuration", run: { sh: "git config core.hooksPath /tmp" }, partial: passes },
  { name: "rename .git and bring another", run: { sh: "mv .git old && mkdir -p .git/hooks" }, partial: passes },
  {
    name: "rename .git and put a file in its place",
    run: { sh: 'mv .git old && echo "gitdir: evil" > .git' },
    partial: passes,
  },
  {
    name: "exchange .git with another directory",
    run: { python: 'os.mkdir("evil")\nif libc.renameat2(-100, b"evil", -100, b".git", 2) == 0: escaped()' },
    partial: passes,
  },
  { name: "lead git to other hooks and configuration", run: { sh: "echo .. > .git/commondir" }, partial: passes },
  {
    name: "lead git to other hooks of a module",
    run: { sh: "echo ../.. > .git/modules/library/commondir" },
    partial: passes,
  },
  { name: "rename the hooks of git", run: { sh: "mv .git/hooks .git/old" }, partial: passes },
  { name: "replace the hooks of git by a link", run: { sh: "rm -r .git/hooks; ln -s .. .git/hooks" }, partial: passes },
  {
    name: "replace the configuration of git by another file",
    run: { sh: "cp .git/config new; echo x >> new; mv new .git/config" },
    partial: passes,
  },
  {
    name: "write the configuration of git through a hard link",
    run: { sh: "ln .git/config link && echo x >> link" },
    partial: passes,
  },
  {
    name: "write a hook of git through /proc",
    run: { sh: 'echo x > "/proc/self/root$WS/.git/hooks/pre-commit"' },
    partial: passes,
  },
  {
    name: "write a hook of a module of the repository",
    run: { sh: "echo x > .git/modules/library/hooks/pre-commit" },
    partial: passes,
  },
  {
    name: "rename the directory of the modules",
    run: { sh: "mv .git/modules .git/old && mkdir -p .git/modules/library/hooks" },
    partial: passes,
  },
  {
    name: "unmount what protects the hooks",
    run: { sh: "umount .git/hooks 2>/dev/null && echo ESCAPED; echo x > .git/hooks/pre-commit" },
    partial: passes,
  },
  { name: "change pintle's settings of the project", run: { sh: "echo {} > .pintle/settings.json" }, partial: passes },
  { name: "replace pintle's directory of the project", run: { sh: "mv .pintle old; mkdir .pintle" }, partial: passes },
  {
    name: "bring pintle's directory of the project",
    before: 'rm -r "$WS/.pintle"',
    run: { sh: "mkdir -p .pintle; echo {} > .pintle/settings.json" },
    partial: passes,
  },
  { name: "write the user's start-up file", run: { sh: 'echo x >> "$HOME/.bashrc"' }, partial: "stopped" },
  {
    name: "write the start-up file when the home directory is the workspace",
    workspace: "home",
    run: { sh: "echo x >> .bashrc" },
    partial: passes,
  },
  {
    name: "replace the start-up file when the home directory is the workspace",
    workspace: "home",
    run: { sh: "echo x > new; mv -f new .profile" },
    partial: passes,
  },
  {
    name: "rename the directory of a start-up file when the home directory is the workspace",
    workspace: "home",
    run: { sh: "mv .config old; mkdir -p .config/fish; echo x > .config/fish/config.fish" },
    partial: passes,
  },
  ...ABSENT_NAMES.map(
    (path): Attempt => ({
      name: `bring ${path} when the home directory is the workspace`,
      workspace: "home",
      before: 'rm -rf "$HOME/.ssh"',
      run: { sh: `mkdir -p "$(dirname ${path})"; echo x > ${path}; ln -s /etc/passwd ${path}; cp -r bin/tool ${path}` },
      partial: passes,
    }),
  ),
  {
    name: "move a start-up file into the home directory that is the workspace",
    workspace: "home",
    run: { sh: "echo x > new; mv new .bash_profile; ln new .zshenv" },
    partial: passes,
  },
  {
    name: "move a folder with start-up files into the home directory that is the workspace",
    workspace: "home",
    before: 'rm -rf "$HOME/.config"',
    run: {
      sh: "mkdir -p new/autostart new/systemd/user; echo x > new/autostart/x; mv -T new .config; mv new/autostart .config/",
    },
    partial: passes,
  },
  {
    name: "rename the folder of start-up files that are missing",
    workspace: "home",
    run: { sh: "mv .config old && mkdir -p .config/autostart" },
    partial: passes,
  },
  {
    name: "turn on a configuration of git for the worktree",
    before: 'printf "[extensions]\\n\\tworktreeConfig = true\\n" >> "$WS/.git/config"',
    run: {
      sh: 'test -e .git/config.worktree; printf "[core]\\n\\tfsmonitor = x\\n" > .git/config.worktree && echo ESCAPED',
    },
    partial: passes,
  },
  { name: "add a key for logins", run: { sh: 'echo x >> "$HOME/.ssh/authorized_keys"' }, partial: "stopped" },
  { name: "change pintle's settings", run: { sh: 'echo {} > "$PINTLE/settings.json"' }, partial: "stopped" },
  {
    name: "change the program that builds the sandbox",
    run: { sh: 'for f in "$PINTLE"/sandbox/exec-*; do chmod u+w "$f"; echo x > "$f"; done' },
    partial: { passes: "the content stays as it is, but the mode of a file can be changed" },
    notBare: "there is none without a sandbox",
  },
  {
    name: "have pintle believe in another strength",
    run: { sh: 'echo {} > "$PINTLE/sandbox/strength.json"' },
    partial: "stopped",
    notBare: "it is not written without a sandbox",
  },
];
