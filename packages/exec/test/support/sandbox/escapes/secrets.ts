import { type Attempt, LANDLOCK_READS } from "./attempt.ts";

const passes = { passes: LANDLOCK_READS } as const;
const show = (path: string) => `grep -q SECRET ${path} && echo ESCAPED`;

/** Attempts to read what is hidden from commands. */
export const SECRETS: readonly Attempt[] = [
  { name: "read a private key", run: { sh: show('"$HOME/.ssh/id_rsa"') }, partial: passes },
  { name: "read keys of a cloud", run: { sh: show('"$HOME/.aws/credentials"') }, partial: passes },
  { name: "read pintle's keys", run: { sh: show('"$PINTLE/auth.json"') }, partial: passes },
  { name: "read a hidden file", run: { sh: show('"$HOME/hidden.txt"') }, partial: passes },
  { name: "read a hidden file in the workspace", run: { sh: show(".env.local") }, partial: passes },
  { name: "read a key through a link", run: { sh: `ln -s "$HOME/.ssh" k; ${show("k/id_rsa")}` }, partial: passes },
  { name: "read a key through a hard link", run: { sh: `ln "$HOME/hidden.txt" k; ${show("k")}` }, partial: "stopped" },
  { name: "read a key through /proc", run: { sh: show('"/proc/self/root$HOME/.ssh/id_rsa"') }, partial: passes },
  {
    name: "read a key through the root of a process outside",
    run: { sh: show('"/proc/$VICTIM/root$HOME/.ssh/id_rsa"') },
    partial: "stopped",
  },
  {
    name: "read a key through an archive of everything",
    run: { sh: `tar cf - "$HOME" 2>/dev/null | ${show("-")}` },
    partial: passes,
  },
  { name: "rename the hidden directory", run: { sh: `mv .env.local x && ${show("x")}` }, partial: passes },
  {
    name: "read a key from the environment",
    run: { sh: '[ -n "$ESCAPE_API_KEY" ] && echo ESCAPED' },
    partial: "stopped",
  },
  {
    name: "read the environment of a process outside",
    run: { sh: show('"/proc/$VICTIM/environ"') },
    partial: "stopped",
  },
  {
    name: "read the environment of every process",
    run: { sh: 'cat /proc/[0-9]*/environ 2>/dev/null | grep -aq "SECRET-OF-PROCESS" && echo ESCAPED' },
    before: ":",
    partial: "stopped",
  },
  {
    name: "see what other processes were started with",
    // Reads everything first, then searches, because a parallel search would find its own argument.
    run: {
      sh: `seen=$(cat /proc/[0-9]*/cmdline | tr '\\0' ' '); case $seen in *"victim-of-$MARK"*) echo ESCAPED ;; esac`,
    },
    partial: { passes: "without a process namespace everything that runs can be seen" },
  },
  {
    name: "find the user's keyring",
    run: { python: "if call(250 if X64 else 219, 0, -4, 0) > 0: escaped()" },
    partial: "stopped",
  },
  {
    name: "leave a key in the user's keyring",
    run: { python: 'if call(248 if X64 else 217, b"user", b"escape", b"x", 1, -4) > 0: escaped()' },
    partial: "stopped",
    after: "true",
  },
];
