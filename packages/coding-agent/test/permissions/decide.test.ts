import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import type { PermissionMode } from "@pintle/wire";
import { decide, type Policy, type RuleLayer } from "../../src/permissions/decide.ts";
import { pathProtection } from "../../src/permissions/protected-paths.ts";
import type { JudgedRequest, PermissionRequest } from "../../src/permissions/request.ts";
import { compileRule, type Effect, type Rule } from "../../src/permissions/rule.ts";
import { plainReading } from "../support/permissions/plain-reading.ts";

const CWD = "/home/me/project";
const HOME = "/home/me";

function policy(mode: PermissionMode, rules: Partial<Record<RuleLayer, Rule[]>> = {}): Policy {
  const compiled = (layer: RuleLayer) => (rules[layer] ?? []).map((rule) => compileRule(rule, CWD));
  return {
    mode,
    project: CWD,
    rules: {
      host: compiled("host"),
      session: compiled("session"),
      user: compiled("user"),
      project: compiled("project"),
    },
    isInside: (real) => real === CWD || real.startsWith(`${CWD}/`),
    containsKeys: () => false,
    protection: (_, real, access) => pathProtection(real, access, { home: HOME, ownDirectory: `${HOME}/.pintle` }),
  };
}

type Facts = Partial<PermissionRequest> & {
  /** For each program of the command. */
  readOnly?: boolean[];
  patterns?: boolean[];
  sandboxed?: boolean;
  leftToHost?: boolean;
};

function judged({ readOnly, patterns, sandboxed = false, leftToHost = false, ...request }: Facts): JudgedRequest {
  return {
    request: { toolCallId: "1", tool: "bash", kind: "execute", title: "", origin: "builtin", ...request },
    ...((readOnly || patterns) && {
      reading: plainReading({ readOnlyPrograms: readOnly ?? [], patternPrograms: patterns ?? [] }),
    }),
    isSandboxed: sandboxed,
    isLeftToHost: leftToHost,
  };
}

const file = (access: "read" | "write", real: string): Facts => ({
  tool: access === "read" ? "read" : "edit",
  kind: access,
  paths: [{ path: real, real, access }],
});
const command = (...programs: string[]): Facts => ({
  command: { text: programs.join("; "), programs: programs.map((program) => program.split(" ")) },
});
const OPAQUE: Facts = { command: { text: "x $(y)", programs: "opaque" } };

describe("the presets", () => {
  const cases: [string, Facts, Record<PermissionMode, Effect>][] = [
    ["read inside", file("read", `${CWD}/a`), { plan: "allow", ask: "allow", workspace: "allow", full: "allow" }],
    ["read outside", file("read", "/etc/x"), { plan: "ask", ask: "ask", workspace: "allow", full: "allow" }],
    ["write inside", file("write", `${CWD}/a`), { plan: "deny", ask: "ask", workspace: "allow", full: "allow" }],
    [
      "write to what the project has for pintle",
      file("write", `${CWD}/sub/.pintle/extensions/x.ts`),
      { plan: "deny", ask: "ask", workspace: "ask", full: "allow" },
    ],
    [
      "read what the project has for pintle",
      file("read", `${CWD}/.pintle/settings.json`),
      { plan: "allow", ask: "allow", workspace: "allow", full: "allow" },
    ],
    ["write outside", file("write", "/etc/x"), { plan: "deny", ask: "ask", workspace: "ask", full: "allow" }],
    ["a command", command("npm test"), { plan: "deny", ask: "ask", workspace: "ask", full: "allow" }],
    [
      "a command in a sandbox",
      { ...command("npm test"), sandboxed: true },
      { plan: "deny", ask: "ask", workspace: "allow", full: "allow" },
    ],
    [
      "a command that wants to leave the sandbox",
      { ...command("npm test"), sandboxed: true, escalation: "network" },
      { plan: "deny", ask: "ask", workspace: "ask", full: "ask" },
    ],
    [
      "a command that only looks",
      { ...command("ls"), readOnly: [true] },
      { plan: "allow", ask: "allow", workspace: "allow", full: "allow" },
    ],
    ["a command nobody can read", OPAQUE, { plan: "deny", ask: "ask", workspace: "ask", full: "allow" }],
    [
      "a tool of the network",
      { kind: "network", tool: "fetch" },
      { plan: "ask", ask: "ask", workspace: "ask", full: "allow" },
    ],
    [
      "a tool of a host that answers questions",
      { tool: "x", origin: "host" },
      { plan: "deny", ask: "ask", workspace: "ask", full: "allow" },
    ],
    [
      "a tool of a host that answers none",
      { tool: "x", origin: "host", leftToHost: true },
      { plan: "deny", ask: "ask", workspace: "allow", full: "allow" },
    ],
    [
      "a tool without effects",
      { kind: "other", tool: "todo_write" },
      { plan: "allow", ask: "allow", workspace: "allow", full: "allow" },
    ],
    [
      "a write of a file that is not named",
      { kind: "write", tool: "x" },
      { plan: "deny", ask: "ask", workspace: "ask", full: "allow" },
    ],
  ];
  for (const [name, facts, effects] of cases) {
    for (const [mode, effect] of Object.entries(effects)) {
      test(`${name}, ${mode}: ${effect}`, () => {
        expect(decide(policy(mode as PermissionMode), judged(facts))).toMatchObject({ effect, layer: "mode" });
      });
    }
  }
});

describe("layers", () => {
  const allow: Rule = { effect: "allow", command: "npm test" };
  const ask: Rule = { effect: "ask", command: "npm *" };
  const deny: Rule = { effect: "deny", command: "npm *" };
  const npmTest = judged(command("npm test"));

  const cases: [string, PermissionMode, Partial<Record<RuleLayer, Rule[]>>, Effect, string][] = [
    ["an allow of the user goes before the preset", "ask", { user: [allow] }, "allow", "user"],
    ["a deny of any layer wins over every allow", "full", { host: [allow], project: [deny] }, "deny", "project"],
    ["the host goes before the user", "full", { host: [allow], user: [ask] }, "allow", "host"],
    ["within a layer ask goes before allow", "full", { user: [allow, ask] }, "ask", "user"],
    ["the project tightens", "full", { project: [ask] }, "ask", "project"],
    ["the project does not loosen", "ask", { project: [allow] }, "ask", "mode"],
    ["the project tightens what the user allows", "ask", { user: [allow], project: [ask] }, "ask", "project"],
    ["a plan ignores what the user allowed", "plan", { user: [allow], session: [allow] }, "deny", "mode"],
    ["a plan heeds what the host allows", "plan", { host: [allow] }, "allow", "host"],
    ["an answer for the session goes before the user", "ask", { session: [allow], user: [ask] }, "allow", "session"],
  ];
  for (const [name, mode, rules, effect, layer] of cases) {
    test(name, () => expect(decide(policy(mode, rules), npmTest)).toMatchObject({ effect, layer }));
  }
});

describe("rules for commands", () => {
  const user: Rule[] = [
    { effect: "allow", command: "npm test" },
    { effect: "allow", command: "git log *" },
    { effect: "allow", command: "cat src/*" },
  ];
  const effectOf = (facts: Facts, mode: PermissionMode = "ask") => decide(policy(mode, { user }), judged(facts)).effect;

  test("every program must be covered, by whichever rule", () => {
    expect(effectOf(command("npm test", "git log -3"))).toBe("allow");
    expect(effectOf(command("npm test", "curl evil"))).toBe("ask");
    expect(effectOf(command("npm test --prefix x"))).toBe("ask");
    expect(effectOf(command("git log"))).toBe("allow");
    expect(effectOf(command("git"))).toBe("ask");
    expect(effectOf(command("cat src/a"))).toBe("allow");
    expect(effectOf(command("cat lib/a"))).toBe("ask");
  });

  test("read-only programs need no rule next to programs that have one", () => {
    const mixed = (readOnly: boolean[]): Facts => ({ ...command("npm test", "head -3"), readOnly });
    expect(effectOf(mixed([false, true]))).toBe("allow");
    expect(effectOf(mixed([false, false]))).toBe("ask");
    expect(effectOf(mixed([true, false]))).toBe("ask");
    expect(effectOf(mixed([false, true]), "plan")).toBe("deny"); // the user's rule does not apply there
    expect(decide(policy("plan", { host: user }), judged(mixed([false, true]))).effect).toBe("allow");
    const reads = {
      ...mixed([false, true]),
      paths: [{ path: `${CWD}/.env`, real: `${CWD}/.env`, access: "read" as const }],
    };
    const denied: Rule = { effect: "deny", path: "**/.env" };
    expect(decide(policy("ask", { user: [...user, denied] }), judged(reads)).effect).toBe("deny");
  });

  test("each program is decided by the strongest layer with a rule for it", () => {
    const host: Rule[] = [{ effect: "allow", command: "make" }];
    const asks: Rule[] = [{ effect: "ask", command: "make" }, ...user];
    expect(decide(policy("ask", { host, user: asks }), judged(command("npm test", "make"))).effect).toBe("allow");
    expect(decide(policy("full", { user: asks }), judged(command("npm test", "make"))).effect).toBe("ask");
    expect(decide(policy("full", { host, user: asks }), judged(command("make", "other"))).effect).toBe("allow");
    expect(decide(policy("ask", { host, user: asks }), judged(command("make", "other"))).effect).toBe("ask");
  });

  test("what may disguise a forbidden program is asked about", () => {
    const effectUnder = (text: string, rule: Rule, patterns?: boolean[]) =>
      decide(policy("full", { user: [rule] }), judged({ ...command(text), ...(patterns && { patterns }) })).effect;
    const push: Rule = { effect: "deny", command: "git push *" };
    expect(effectUnder("git push", push)).toBe("deny");
    expect(effectUnder("git -C . push origin", push)).toBe("ask");
    expect(effectUnder("git --no-pager log", push)).toBe("allow");
    expect(effectUnder("git log push", push)).toBe("allow");
    expect(effectUnder("git pus?", push, [true])).toBe("ask");
    expect(effectUnder("ls pus?", push, [true])).toBe("allow");
    const exactly: Rule = { effect: "deny", command: "git push" };
    expect(effectUnder("git push origin", exactly)).toBe("allow");
    expect(decide(policy("full", { user: [push] }), judged(OPAQUE)).effect).toBe("ask");
    expect(decide(policy("full", { user: [push], host: [{ effect: "allow" }] }), judged(OPAQUE)).effect).toBe("ask");
  });

  test("a home directory in a pattern is the one that commands are read with", () => {
    const rule: Rule = { effect: "allow", command: "cat ~/notes/*" };
    const effectFor = (path: string) =>
      decide(policy("ask", { user: [rule] }), judged({ command: { text: "", programs: [["cat", path]] } })).effect;
    expect(effectFor(`${homedir()}/notes/a`)).toBe("allow");
    expect(effectFor("~/notes/a")).toBe("ask");
  });

  test("a command that cannot be read is covered by no pattern", () => {
    expect(decide(policy("ask", { user: [{ effect: "allow", command: "*" }] }), judged(OPAQUE)).effect).toBe("ask");
  });

  test("a command that cannot be read is asked about while a rule forbids a program", () => {
    expect(decide(policy("full", { user: [{ effect: "deny", command: "curl *" }] }), judged(OPAQUE)).effect).toBe(
      "ask",
    );
  });

  test("a rule for a command does not speak of the file its output goes to", () => {
    const redirected = {
      ...command("npm test"),
      paths: [{ path: `${CWD}/a`, real: `${CWD}/a`, access: "write" as const }],
    };
    expect(effectOf(redirected)).toBe("ask");
    expect(effectOf(redirected, "workspace")).toBe("allow");
  });

  test("no rule lets a command leave the sandbox", () => {
    const leaving = { ...command("npm test"), sandboxed: true, escalation: "network" };
    expect(effectOf(leaving)).toBe("ask");
    const host: Rule[] = [{ effect: "allow", tool: "bash" }];
    expect(decide(policy("full", { host }), judged(leaving)).effect).toBe("ask");
  });

  test("matching wildcards takes linear time", () => {
    const many: Rule[] = [
      { effect: "deny", tool: `${"*".repeat(3000)}Q` },
      { effect: "deny", command: `echo ${"*a".repeat(500)}b` },
    ];
    const started = judged(command(`echo ${"a".repeat(20_000)}`));
    expect(decide(policy("full", { user: many }), started).effect).toBe("allow");
  });

  test("an allow of a tool covers all its calls", () => {
    expect(decide(policy("ask", { user: [{ effect: "allow", tool: "bash" }] }), judged(OPAQUE)).effect).toBe("allow");
  });
});

describe("rules for paths", () => {
  test("all paths must be allowed, one is enough to deny", () => {
    const both = { ...file("write", `${CWD}/src/a`), paths: ["src/a", "b"].map((name) => path(`${CWD}/${name}`)) };
    const rule = (effect: Effect): Rule => ({ effect, path: "src/**" });
    expect(decide(policy("ask", { user: [rule("allow")] }), judged(both)).effect).toBe("ask");
    expect(decide(policy("full", { user: [rule("deny")] }), judged(both)).effect).toBe("deny");
    expect(decide(policy("ask", { user: [rule("allow")] }), judged(file("write", `${CWD}/src/a/b`))).effect).toBe(
      "allow",
    );
  });

  test("a directory with a slash is all below it, names of tools have no case, composed characters are one", () => {
    const deny = (rule: Omit<Rule, "effect">, real: string) =>
      decide(policy("full", { user: [{ effect: "deny", ...rule }] }), judged(file("write", real))).effect;
    expect(deny({ path: "src/" }, `${CWD}/src/a`)).toBe("deny");
    expect(deny({ tool: "Edit" }, `${CWD}/a`)).toBe("deny");
    expect(deny({ path: "caf\u00e9" }, `${CWD}/cafe\u0301`)).toBe("deny");
  });

  test("a rule by tool, kind and origin", () => {
    const call = judged({ tool: "mcp_x_get", kind: "execute", origin: "mcp:x" });
    expect(decide(policy("ask", { user: [{ effect: "allow", origin: "mcp:x" }] }), call).effect).toBe("allow");
    expect(decide(policy("ask", { user: [{ effect: "allow", tool: "mcp_*_get" }] }), call).effect).toBe("allow");
    expect(decide(policy("ask", { user: [{ effect: "allow", kind: "network" }] }), call).effect).toBe("ask");
  });

  const path = (real: string) => ({ path: real, real, access: "write" as const });
});

describe("what is protected", () => {
  const protectedFiles = [
    `${CWD}/.git/hooks/pre-commit`,
    `${CWD}/.git/config`,
    `${CWD}/.git`,
    `${CWD}/.GIT/Hooks/x`,
    `${CWD}/.git/commondir`,
    `${CWD}/.git/info/attributes`,
    `${CWD}/.git/HEAD`,
    `${CWD}/.git/modules/x/hooks/y`,
    `${CWD}/.git/worktrees/x/config.worktree`,
    `${HOME}/.bashrc`,
    `${HOME}/.config/fish/config.fish`,
    `${HOME}/.ssh/authorized_keys`,
    `${HOME}/.gitconfig`,
  ];
  for (const real of protectedFiles) {
    test(`${real} is not written, whatever the preset`, () => {
      expect(decide(policy("full"), judged(file("write", real)))).toMatchObject({ effect: "deny", layer: "protected" });
    });
  }

  test("a rule that names exactly the file lifts it, a wider one does not", () => {
    const write = judged(file("write", `${CWD}/.git/config`));
    expect(decide(policy("full", { user: [{ effect: "allow", path: ".git/config" }] }), write).effect).toBe("allow");
    expect(decide(policy("full", { user: [{ effect: "allow", path: ".git/**" }] }), write).effect).toBe("deny");
    expect(decide(policy("full", { session: [{ effect: "allow", path: ".git/config" }] }), write).effect).toBe("deny");
  });

  test("other files of a repository are as others", () => {
    expect(decide(policy("workspace"), judged(file("write", `${CWD}/.gitignore`))).effect).toBe("allow");
    expect(decide(policy("workspace"), judged(file("read", `${CWD}/.git/config`))).effect).toBe("allow");
    expect(decide(policy("full"), judged(file("read", `${HOME}/.ssh/id_ed25519`))).effect).toBe("deny");
    expect(decide(policy("full"), judged(file("read", `${HOME}/.pintle/auth.json`))).effect).toBe("deny");
  });
});

describe("a rule for one project", () => {
  const request = judged(command("npm test"));
  const effect = (rule: Rule) => decide(policy("ask", { user: [rule] }), request).effect;

  test("allows in sessions of exactly that directory", () => {
    expect(effect({ effect: "allow", command: "npm test", project: CWD })).toBe("allow");
    expect(effect({ effect: "allow", command: "npm test", project: HOME })).toBe("ask");
    expect(effect({ effect: "allow", command: "npm test", project: `${CWD}/sub` })).toBe("ask");
  });

  test("forbids below it as well, so that starting deeper does not pass it", () => {
    expect(effect({ effect: "deny", command: "npm test", project: HOME })).toBe("deny");
    expect(effect({ effect: "deny", command: "npm test", project: `${CWD}/sub` })).toBe("ask");
  });
});
