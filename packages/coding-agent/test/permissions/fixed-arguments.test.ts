import { expect, test } from "bun:test";
import { hasFixedArguments } from "../../src/permissions/fixed-arguments.ts";
import type { PermissionRequest } from "../../src/permissions/request.ts";
import { offeredRules } from "../../src/permissions/suggest.ts";

test.each([
  ...[
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
  ],
  ...["python", "python3 -", "python3.12 -i", "python3 -W ignore", "python3 -m code", "python3 -c exec(input())"],
  ...[
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
  ],
  ...["xargs", "xargs rm", "parallel", "eval x", "source x", ". x", "exec sh", "su", "su bob", "script"],
  ...[
    "env sh",
    "env A=1 sh",
    "env -i bash",
    "sudo",
    "sudo -s",
    "sudo -i",
    "sudo sh",
    "sudo -u bob sh",
    "sudo --user bob sh",
  ],
  ...[
    "ssh host",
    "ssh -p 22 host",
    "ssh -p22 bob@host",
    "ssh host sh",
    "ssh -o A=b host",
    "ssh host -p 22",
    "timeout 5 sh",
    "timeout -k 1 5 sh",
  ],
  ...[
    "nice sh",
    "nice -n 5 sh",
    "nohup sh",
    "setsid bash",
    "stdbuf -o L sh",
    "busybox sh",
    "watch sh",
    "doas sh",
    "doas -s",
  ],
  ...["npx", "npx -c x", "bunx", "npm exec", "npm exec sh", "pnpm dlx", "docker exec -i c sh", "docker run -i x bash"],
  ...[
    "kubectl exec p sh",
    "find . -exec sh {} ;",
    "sqlite3 a.db",
    "psql",
    "vim",
    "at now",
    "crontab -",
    "kubectl apply -f -",
  ],
  ...["timeout 5 env A=1 nice python3 -", "SH", "sh.exe", "bash --rcfile x"],
])("a rule for `%s` would allow anything", (line) => {
  expect(hasFixedArguments(line.split(" "))).toBe(false);
});

test.each([
  ...[
    "npm test",
    "git status",
    "ls",
    "node x.mjs",
    "node --test",
    "node -e 1",
    "python3 a.py -v",
    "python3 -m pytest -q",
  ],
  ...["bash build.sh", "env", "env A=1 npm test", "sudo apt update", "timeout 5 npm test", "ssh host uptime", "make"],
  ...["ssh -p 22 host uptime", "npx tsc", "docker ps", "find . -name x", "find . -exec rm {} ;", "bun test", "nice"],
  ...["constructor", "cargo build", "sudo -u bob id", "npm exec tsc"],
])("`%s` means the same every time", (line) => {
  expect(hasFixedArguments(line.split(" "))).toBe(true);
});

const command = (...programs: string[][]): PermissionRequest => ({
  ...{ toolCallId: "1", tool: "bash", kind: "execute", title: "", origin: "builtin" },
  command: { text: "", programs },
});

test("rules for this project come first, the narrow ones before the wide ones", () => {
  expect(offeredRules(command(["npm", "run", "lint"]), "/p")).toEqual([
    { effect: "allow", command: "npm run lint", project: "/p" },
    { effect: "allow", command: "npm run *", project: "/p" },
    { effect: "allow", command: "npm run lint" },
    { effect: "allow", command: "npm run *" },
  ]);
});

test("no wide rule begins with words that say nothing of what is done", () => {
  for (const argv of [
    ["git", "-c", "core.pager=x", "log"],
    ["git", "config", "a", "b"],
    ["npm", "exec", "tsc", "x"],
    ["docker", "run", "x"],
    ["make", "test", "SHELL=x"],
  ]) {
    const offered = offeredRules(command(argv), "/p").map((rule) => rule.command);
    expect(offered.filter((pattern) => pattern?.endsWith(" *"))).toEqual([]);
  }
});

test("nothing is offered for a command that leaves the sandbox", () => {
  expect(offeredRules({ ...command(["npm", "test"]), escalation: "needs the network" }, "/p")).toEqual([]);
});
