import { expect, test } from "bun:test";
import { hasFixedArguments, startsAnother } from "../../src/permissions/fixed-arguments.ts";
import type { PermissionRequest } from "../../src/permissions/request.ts";
import { offeredRules } from "../../src/permissions/suggest.ts";
import { plainReading } from "../support/permissions/plain-reading.ts";

test.each([
  "sh",
  "bash",
  "/bin/sh",
  "zsh -",
  "sh -s",
  "bash -s -- a",
  "bash -l",
  "bash -o pipefail",
  "sh -c sh",
  "sh /dev/stdin",
  "python",
  "python3 -",
  "python3.12 -i",
  "python3 -W ignore",
  "python3 -m code",
  "python3 -c exec(input())",
  "node",
  "node -",
  "node -i",
  "node -r ./a.js",
  "perl",
  "ruby -",
  "php",
  "bun -",
  "bun run -",
  "deno run -",
  "lua",
  "xargs",
  "xargs rm",
  "parallel",
  "eval x",
  "source x",
  ". x",
  "exec sh",
  "su",
  "su bob",
  "script",
  "env sh",
  "env A=1 sh",
  "env -i bash",
  "sudo",
  "sudo -s",
  "sudo -i",
  "sudo sh",
  "sudo -u bob sh",
  "sudo --user bob sh",
  "ssh host",
  "ssh -p 22 host",
  "ssh -p22 bob@host",
  "ssh host sh",
  "ssh -o A=b host",
  "ssh host -p 22",
  "timeout 5 sh",
  "timeout -k 1 5 sh",
  "nice sh",
  "nice -n 5 sh",
  "nohup sh",
  "setsid bash",
  "stdbuf -o L sh",
  "busybox sh",
  "watch sh",
  "doas sh",
  "doas -s",
  "npx",
  "npx -c x",
  "bunx",
  "npm exec",
  "npm exec sh",
  "pnpm dlx",
  "docker exec -i c sh",
  "docker run -i x bash",
  "kubectl exec p sh",
  "find . -exec sh {} ;",
  "sqlite3 a.db",
  "psql",
  "vim",
  "at now",
  "crontab -",
  "kubectl apply -f -",
  "timeout 5 env A=1 nice python3 -",
  "SH",
  "sh.exe",
  "bash --rcfile x",
  // The program is read from standard input, under whatever name.
  "make -f-",
  "make --file=-",
  "awk -f/dev/stdin",
  "sed --file=/dev/stdin",
  "bash //dev/stdin",
  "sh /dev/../dev/fd/0",
  "bash /proc/thread-self/fd/0",
  "sh ../../dev/stdin",
  "m4",
  "expect",
  "gnuplot",
  "ocaml",
  "sftp host",
  "osh",
  // Programs that start another program or a shell.
  "fakeroot",
  "fakeroot sh",
  "linux64 bash",
  "unbuffer sh",
  "systemd-run --user sh",
  "runuser -u bob",
  "newgrp x",
  "uv run python",
  "poetry run python3",
  "pipenv shell",
  "bundle exec ruby",
  "rails console",
  "nix develop",
  "docker run -i python:3",
  "podman exec -it c x",
  "docker compose run --interactive app",
  "direnv exec . bash",
  "tar -xf a.tar --to-command=sh",
  "git bisect run sh",
  "rsync --rsh=sh a b",
])("a rule for `%s` would allow anything", (line) => {
  expect(hasFixedArguments(line.split(" "))).toBe(false);
});

test.each([
  "npm test",
  "git status",
  "ls",
  "node x.mjs",
  "node --test",
  "node -e 1",
  "python3 a.py -v",
  "python3 -m pytest -q",
  "bash build.sh",
  "env",
  "env A=1 npm test",
  "sudo apt update",
  "timeout 5 npm test",
  "ssh host uptime",
  "make",
  "ssh -p 22 host uptime",
  "npx tsc",
  "docker ps",
  "find . -name x",
  "find . -exec rm {} ;",
  "bun test",
  "nice",
  "constructor",
  "cargo build",
  "sudo -u bob id",
  "npm exec tsc",
  "uv run python a.py",
  "poetry run python -m pytest",
  "git bisect run sh check.sh",
  "docker run --rm x",
  "fakeroot make",
  "git commit -m x",
  "sed -n 1,3p a.txt",
  "make -j4",
])("`%s` means the same every time", (line) => {
  expect(hasFixedArguments(line.split(" "))).toBe(true);
});

const command = (...programs: string[][]): PermissionRequest => ({
  toolCallId: "1",
  tool: "bash",
  kind: "execute",
  title: "",
  origin: "builtin",
  command: { text: "", programs },
});

test("rules for this project come first, the narrow ones before the wide ones", () => {
  expect(offeredRules({ request: command(["git", "add", "a"]) }, "/p")).toEqual([
    { effect: "allow", command: "git add a", project: "/p" },
    { effect: "allow", command: "git add *", project: "/p" },
    { effect: "allow", command: "git add a" },
    { effect: "allow", command: "git add *" },
  ]);
});

test("no wide rule begins with words that say nothing of what is done", () => {
  for (const argv of [
    ["git", "-c", "core.pager=x", "log"],
    ["git", "config", "a", "b"],
    ["npm", "exec", "tsc", "x"],
    ["npm", "install", "x"],
    ["npm", "run", "lint"], // `npm run lint --node-options=--import=data:…` runs any code
    ["npm", "test", "--", "x"],
    ["yarn", "run", "lint"],
    ["git", "merge", "x"],
    ["git", "fetch", "origin"],
    ["git", "grep", "x"],
    ["git", "log", "-3"],
    ["bun", "run", "lint"],
    ["cargo", "test", "x"],
    ["docker", "run", "x"],
    ["make", "test", "SHELL=x"],
  ]) {
    const offered = offeredRules({ request: command(argv) }, "/p").map((rule) => rule.command);
    expect(offered.filter((pattern) => pattern?.endsWith(" *"))).toEqual([]);
  }
});

test("nothing is offered for a command that leaves the sandbox", () => {
  const request = { ...command(["npm", "test"]), escalation: "needs the network" };
  expect(offeredRules({ request }, "/p")).toEqual([]);
});

test("no rule is offered for the read-only programs of a line, which run unasked anyway", () => {
  const request = command(["npm", "test"], ["head", "-3"]);
  const reading = plainReading({ readOnlyPrograms: [false, true] });
  expect(offeredRules({ request, reading }, "/p").map((rule) => rule.command)).toEqual(["npm test", "npm test"]);
  const isAllReadOnly = plainReading({ readOnlyPrograms: [true, true] });
  expect(offeredRules({ request, reading: isAllReadOnly }, "/p")).toHaveLength(4);
});

test.each([
  "env curl x",
  "/usr/bin/env curl x",
  "find . -exec curl {} +",
  "chrt 1 curl x",
  "systemd-run curl x",
  "unbuffer curl x",
  "/lib64/ld-linux-x86-64.so.2 /usr/bin/curl x",
  "python3.12 -c import",
  "node -e x",
  "perl -e x",
  "awk BEGIN{system(x)}",
  "strace -f curl x",
  "npx curl",
  "gdb -x y",
  "toybox wget x",
  "git -c alias.x=push x",
  "git -C . -calias.x=push x",
  "git --exec-path=. x",
  "git --config-env=a=B x",
  "python3",
  "python3 -cimport",
  "python3 -Bc x",
  "node --eval=x",
  "node --import=x y",
  "perl -ex",
  "php -r x",
  "deno eval x",
  "bun x curl",
  "ruby /dev/stdin",
  "sed s/a/b/e",
  "sed -n s/a/b/ge;p",
  "sed $!e",
  "m4",
  "fakeroot curl x",
])("`%s` may start a program that a rule forbids", (line) => {
  expect(startsAnother(line.split(" "))).toBe(true);
});

test.each([
  "node build.mjs",
  "python3 -m pytest",
  "awk {print} f",
  "ls",
  "ldd x",
  "npm test",
  "git status",
  "node --version",
  "git switch -c x",
  "git -C . status",
  "git commit -c HEAD",
  "sed -e s/a/e/ f",
  "sed -n 1,3p f",
  "sed s/here/there/g f",
])("`%s` starts what its name says", (line) => {
  expect(startsAnother(line.split(" "))).toBe(false);
});
