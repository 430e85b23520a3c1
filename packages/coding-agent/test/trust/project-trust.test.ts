import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { Settings } from "../../src/config/settings/settings.ts";
import type { TrustAnswer, TrustAsker, TrustRequest } from "../../src/trust/ask-for-trust.ts";
import { type Inventory, takeInventory } from "../../src/trust/inventory.ts";
import { ProjectTrust } from "../../src/trust/project-trust.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";

const TOOL = { ".pintle/tools/a.ts": "1" };
const YES = { isTrusted: true, isRemembered: false };
const ALWAYS = { isTrusted: true, isRemembered: true };
const NO = { isTrusted: false, isRemembered: false };
const NEVER = { isTrusted: false, isRemembered: true };

/** A session's trust and settings in that folder, as in a new process. */
async function start(folder: ProjectFolder, flag?: "open" | "closed", overrides = {}) {
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem.replaceAll(`${folder.root}/`, ""));
  const settings = Settings.create(folder.cwd, folder.home, { report });
  settings.applyOverrides(overrides);
  const trust = await ProjectTrust.open(folder.cwd, { home: folder.home, settings, flag, report, now: () => 0 });
  return { trust, settings, problems };
}

/** Gives one answer after another, then none. */
function asker(...answers: (TrustAnswer | undefined | ((request: TrustRequest) => unknown))[]) {
  const requests: TrustRequest[] = [];
  const host: TrustAsker = {
    by: "host",
    async ask(request) {
      requests.push(request);
      const answer = answers.shift();
      return (typeof answer === "function" ? answer(request) : answer) as TrustAnswer;
    },
  };
  return { host, requests };
}

const stored = (folder: ProjectFolder) => JSON.parse(readFileSync(folder.at("~/trust.json"), "utf8"));

describe("who answers", () => {
  test("a project without code needs none", async () => {
    using folder = projectFolder({ "AGENTS.md": "1" });
    const { trust } = await start(folder);
    const { host, requests } = asker(YES);
    expect([trust.state, trust.isTrusted, await trust.ask(host), requests]).toEqual(["none", false, "none", []]);
  });

  test("without an answer the project stays closed", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    expect([trust.state, trust.isTrusted, trust.withheld.map(({ name }) => name)]).toEqual([
      "withheld",
      false,
      ["a.ts"],
    ]);
    expect(trust.isStillTrusted(folder.at(".pintle/tools/a.ts"))).toBe(false);
    expect(trust.isTrustedContent(folder.at(".pintle/tools/a.ts"), "1")).toBe(false);
  });

  test("a flag first: open for this process, whatever the content, and not stored", async () => {
    using folder = projectFolder(TOOL);
    folder.write("../outside.ts", "1");
    folder.link(".pintle/tools/b.ts", "../../../outside.ts");
    const { trust } = await start(folder, "open");
    const { host, requests } = asker(NEVER);
    folder.write(".pintle/tools/a.ts", "2");
    expect([trust.state, trust.withheld, await trust.ask(host), await trust.review(), requests]).toEqual([
      "trusted",
      [],
      "trusted",
      "trusted",
      [],
    ]);
    expect(trust.isStillTrusted(folder.at(".pintle/tools/a.ts"))).toBe(true);
    expect(existsSync(folder.at("~/trust.json"))).toBe(false);
  });

  test("a flag that opens is about the directory of the start, by whatever links it is named", async () => {
    using folder = projectFolder({ ...TOOL, "sub/.pintle/tools/b.ts": "1", "plain/x": "" });
    using other = projectFolder({ ...TOOL, ".pintle/settings.json": '{"shellPath":"/x"}' });
    const { trust, settings } = await start(folder, "open");
    const seen = async (cwd: string) => [await trust.review(cwd), trust.isTrusted, trust.isBeyondFlag];
    expect(await seen(other.cwd)).toEqual(["withheld", false, true]);
    expect(trust.isStillTrusted(other.at(".pintle/tools/a.ts"))).toBe(false);
    expect(trust.isTrustedContent(other.at(".pintle/tools/a.ts"), "1")).toBe(false);
    expect(settings.get("shellPath")).toBeUndefined();
    expect(await seen(folder.at("sub"))).toEqual(["withheld", false, true]);
    expect(await seen(folder.at("plain"))).toEqual(["none", false, true]);
    expect(await seen(`${folder.root}/gone`)).toEqual(["none", false, true]);
    expect(await seen(other.link("../back", folder.cwd))).toEqual(["trusted", true, false]);
    expect(await seen(folder.cwd)).toEqual(["trusted", true, false]);
  });

  test("another directory than that of the flag is asked about, and has stored consent", async () => {
    using folder = projectFolder(TOOL);
    using other = projectFolder(TOOL);
    const { trust } = await start(folder, "open");
    const { host, requests } = asker(ALWAYS);
    await trust.review(other.cwd);
    expect([await trust.ask(host), requests.map(({ project }) => project)]).toEqual(["trusted", [other.cwd]]);
    const next = (await start(folder, "open")).trust;
    expect([await next.review(other.cwd), next.isTrusted]).toEqual(["trusted", true]);
  });

  test("a flag that closes counts for every directory", async () => {
    using folder = projectFolder(TOOL);
    using other = projectFolder(TOOL);
    const { trust } = await start(folder, "closed");
    const { host, requests } = asker(ALWAYS);
    expect([await trust.review(other.cwd), await trust.ask(host), trust.isBeyondFlag, requests]).toEqual([
      "withheld",
      "withheld",
      false,
      [],
    ]);
  });

  test("a flag that closes beats stored consent, and no question is asked", async () => {
    using folder = projectFolder(TOOL);
    await (await start(folder)).trust.ask(asker(ALWAYS).host);
    const { trust } = await start(folder, "closed");
    const { host, requests } = asker(YES);
    expect([trust.state, await trust.ask(host), requests]).toEqual(["withheld", "withheld", []]);
  });

  test("then stored consent: with the content, for its real path, readable by its owner only", async () => {
    using folder = projectFolder(TOOL);
    writeFileSync(folder.at("~/trust.json"), '{"/other":{"digest":"x"}}', { mode: 0o600 });
    const { trust } = await start(folder);
    const { host, requests } = asker(ALWAYS);
    expect(await trust.ask(host)).toBe("trusted");
    const { digest } = requests[0] as TrustRequest;
    expect(stored(folder)).toEqual({
      "/other": { digest: "x" },
      [folder.cwd]: { digest, at: "1970-01-01T00:00:00.000Z", by: "host" },
    });
    expect(statSync(folder.at("~/trust.json")).mode & 0o777).toBe(0o600);
    expect((await start(folder)).trust.state).toBe("trusted");
  });

  test("then the user who can be asked: for this process alone unless they say otherwise", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    const { host, requests } = asker(YES);
    expect([await trust.ask(host), trust.isTrusted]).toEqual(["trusted", true]);
    expect(requests).toEqual([
      {
        project: folder.cwd,
        digest: expect.any(String),
        timeoutMs: 120_000,
        items: [
          {
            kind: "custom_tool",
            name: "a.ts",
            path: folder.at(".pintle/tools/a.ts"),
            digest: new Bun.CryptoHasher("sha256").update("1").digest("hex"),
          },
        ],
      },
    ]);
    expect(existsSync(folder.at("~/trust.json"))).toBe(false);
    expect((await start(folder)).trust.state).toBe("withheld");
  });

  test("the user at a terminal is asked only if the settings say so", async () => {
    using folder = projectFolder({ ...TOOL, ".pintle/settings.json": '{"trust.default":"ask"}' });
    const { host, requests } = asker(YES, ALWAYS);
    const person = { ...host, by: "user" as const };
    expect(await (await start(folder)).trust.ask(person)).toBe("withheld");
    expect(requests).toEqual([]);
    folder.write("~/settings.json", '{"trust.default":"ask"}');
    expect(await (await start(folder)).trust.ask(person)).toBe("trusted");
    expect(await (await start(folder)).trust.ask(person)).toBe("trusted");
    expect(stored(folder)[folder.cwd].by).toBe("user");
    expect(statSync(folder.at("~/trust.json")).mode & 0o777).toBe(0o600);
  });
});

describe("denials", () => {
  test("apply to this process, and the same question is not repeated", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    const { host, requests } = asker(NO, YES);
    expect([await trust.ask(host), await trust.ask(host), requests.length]).toEqual(["withheld", "withheld", 1]);
  });

  test("a remembered one takes back stored consent and leaves that of other projects", async () => {
    using folder = projectFolder(TOOL);
    folder.write("~/trust.json", JSON.stringify({ "/other": { digest: "x" }, [folder.cwd]: { digest: "old" } }));
    await (await start(folder)).trust.ask(asker(NEVER).host);
    expect(stored(folder)).toEqual({ "/other": { digest: "x" } });
  });

  test.each([
    ["something that is only like a yes", { isTrusted: "true", isRemembered: 1 } as unknown as TrustAnswer],
    ["a fault", () => Promise.reject(new Error("gone"))],
  ])("%s is none", async (_what, answer) => {
    using folder = projectFolder(TOOL);
    expect(await (await start(folder)).trust.ask(asker(answer).host)).toBe("withheld");
    expect(existsSync(folder.at("~/trust.json"))).toBe(false);
  });

  test("silence is one when the time has passed; a later answer has no effect", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder, undefined, { "trust.timeoutMs": 1000 });
    const late = Promise.withResolvers<TrustAnswer>();
    const { host, requests } = asker(() => late.promise, YES);
    expect(await trust.ask(host)).toBe("withheld");
    late.resolve(ALWAYS);
    expect([await trust.ask(host), await trust.review(), requests.length]).toEqual(["withheld", "withheld", 1]);
    expect(existsSync(folder.at("~/trust.json"))).toBe(false);
  });

  test("a question that was withdrawn, or reached no host, may be asked again", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    const ending = new AbortController();
    const takeBack = () => {
      ending.abort();
      return new Promise(() => {});
    };
    const { host, requests } = asker(takeBack, undefined, YES);
    expect(await trust.ask(host, ending.signal)).toBe("withheld");
    expect(await trust.ask(host, ending.signal)).toBe("withheld");
    expect([await trust.ask(host), await trust.ask(host)]).toEqual(["withheld", "trusted"]);
    expect(requests).toHaveLength(3);
  });

  test("two who ask at once put one question", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    const { host, requests } = asker(YES);
    expect(await Promise.all([trust.ask(host), trust.ask(host)])).toEqual(["trusted", "trusted"]);
    expect(requests).toHaveLength(1);
  });
});

describe("consent is bound to the content", () => {
  test("one changed byte withholds it again, in this process and the next; the old content has it still", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    await trust.ask(asker(ALWAYS).host);
    folder.write(".pintle/tools/a.ts", "2");
    expect(trust.isStillTrusted(folder.at(".pintle/tools/a.ts"))).toBe(false);
    expect([await trust.review(), (await start(folder)).trust.state]).toEqual(["withheld", "withheld"]);
    const { host, requests } = asker(YES);
    expect([await trust.ask(host), requests.length]).toEqual(["trusted", 1]);
    folder.write(".pintle/tools/a.ts", "1");
    expect([await trust.review(), (await start(folder)).trust.state]).toEqual(["trusted", "trusted"]);
  });

  test("who agrees while the content changes is asked again", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    const { host, requests } = asker(() => {
      folder.write(".pintle/tools/evil.ts", "2");
      return ALWAYS;
    }, NO);
    expect(await trust.ask(host)).toBe("withheld");
    expect(requests.map(({ items }) => items.map(({ name }) => name))).toEqual([["a.ts"], ["a.ts", "evil.ts"]]);
    expect((await start(folder)).trust.state).toBe("withheld");
  });

  test("stored consent is for one project: a copy elsewhere has none", async () => {
    using folder = projectFolder(TOOL);
    await (await start(folder)).trust.ask(asker(ALWAYS).host);
    folder.write("../copy/.pintle/tools/a.ts", "1");
    const copy = { ...folder, cwd: `${folder.root}/copy` };
    expect((await start(copy)).trust.state).toBe("withheld");
    rmSync(folder.at("~/trust.json"));
    const { trust } = await start(folder);
    expect([await trust.ask(asker(YES).host), await trust.review(copy.cwd)]).toEqual(["trusted", "withheld"]);
  });

  test("a link out of the project that comes later ends it", async () => {
    using folder = projectFolder(TOOL);
    const { trust } = await start(folder);
    expect(await trust.ask(asker(YES).host)).toBe("trusted");
    folder.link(".pintle/tools/b.ts", "/etc/hosts");
    expect([await trust.review(), trust.isStillTrusted(folder.at(".pintle/tools/a.ts"))]).toEqual(["withheld", false]);
  });

  test("more than can be inspected: consent is for this process only", async () => {
    using folder = projectFolder({ ...TOOL, ".pintle/tools/node_modules/model.bin": "" });
    truncateSync(folder.at(".pintle/tools/node_modules/model.bin"), 65 * 1024 * 1024);
    const { project, digest } = takeInventory(folder) as Inventory;
    folder.write("~/trust.json", JSON.stringify({ [project]: { digest, by: "earlier" } }));
    const { trust } = await start(folder);
    expect(trust.state).toBe("withheld");
    expect(await trust.ask(asker(ALWAYS).host)).toBe("trusted");
    expect(trust.isStillTrusted(folder.at(".pintle/tools/a.ts"))).toBe(true);
    expect(stored(folder)).toEqual({ [project]: { digest, by: "earlier" } });
  });

  test("a link out of the project: no question is asked, and stored consent does not apply", async () => {
    using folder = projectFolder(TOOL);
    folder.write("../outside.ts", "1");
    folder.link(".pintle/tools/b.ts", "../../../outside.ts");
    const { project, digest } = takeInventory(folder) as Inventory;
    folder.write("~/trust.json", JSON.stringify({ [project]: { digest } }));
    const { trust } = await start(folder);
    const { host, requests } = asker(YES);
    expect([await trust.ask(host), requests]).toEqual(["withheld", []]);
    expect(trust.obstacle).toBe(".pintle/tools/b.ts links outside the project");
  });

  test("code that is added later is found on the next check", async () => {
    using folder = projectFolder();
    const { trust } = await start(folder);
    folder.write(".pintle/tools/a.ts", "1");
    expect([trust.state, await trust.review()]).toEqual(["none", "withheld"]);
    rmSync(folder.at(".pintle"), { recursive: true });
    expect(await trust.review()).toBe("none");
  });

  test("another directory has its own", async () => {
    using folder = projectFolder({ ...TOOL, "sub/.pintle/tools/b.ts": "1", "plain/x": "" });
    const { trust } = await start(folder);
    await trust.ask(asker(YES).host);
    expect(await trust.review(folder.at("sub"))).toBe("withheld");
    expect(trust.withheld.map(({ name }) => name)).toEqual(["b.ts"]);
    expect([await trust.review(folder.at("plain")), await trust.review(folder.cwd)]).toEqual(["none", "trusted"]);
  });
});

describe("settings", () => {
  const FILES = { ".pintle/settings.json": '{"shellCommandPrefix":"a"}' };

  test("count with consent and no longer without", async () => {
    using folder = projectFolder(FILES);
    const { trust, settings } = await start(folder);
    const prefix = () => settings.get("shellCommandPrefix");
    expect([trust.state, prefix()]).toEqual(["withheld", undefined]);
    await trust.ask(asker(ALWAYS).host);
    expect([trust.state, prefix()]).toEqual(["trusted", "a"]);
    folder.write(".pintle/settings.json", '{"shellCommandPrefix":"b"}');
    await trust.review();
    expect([trust.state, prefix()]).toEqual(["withheld", undefined]);
    expect((await start(folder, "open")).settings.get("shellCommandPrefix")).toBe("b");
  });

  test("are those that were agreed to, also when the file changed since they were read", async () => {
    using folder = projectFolder(FILES);
    const settings = Settings.create(folder.cwd, folder.home);
    folder.write(".pintle/settings.json", '{"shellCommandPrefix":"b"}');
    const trust = await ProjectTrust.open(folder.cwd, { home: folder.home, settings, report() {} });
    await trust.ask(asker(YES).host);
    expect(settings.get("shellCommandPrefix")).toBe("b");
  });

  test("of another directory are read with it", async () => {
    using folder = projectFolder({ ...FILES, "sub/.pintle/settings.json": '{"steeringMode":"all","shellPath":"/x"}' });
    const closed = await start(folder);
    await closed.trust.review(folder.at("sub"));
    expect(closed.settings.get("steeringMode")).toBe("all");
    const { trust, settings } = await start(folder);
    await trust.ask(asker(YES).host);
    await trust.review(folder.at("sub"));
    expect([settings.get("steeringMode"), settings.get("shellPath"), settings.get("shellCommandPrefix")]).toEqual([
      "all",
      undefined,
      undefined,
    ]);
  });
});

describe("the stored consent", () => {
  test.each(["{ not json", "[]", '{"PROJECT": true}', '{"PROJECT": {"digest": 1}}'])("%s holds none", async (text) => {
    using folder = projectFolder(TOOL);
    folder.write("~/trust.json", text.replace("PROJECT", folder.cwd));
    const { trust, problems } = await start(folder);
    expect([trust.state, problems.length]).toEqual(["withheld", text.startsWith('{"') ? 0 : 1]);
  });

  test("a file that cannot be read is not overwritten; the answer counts for now", async () => {
    using folder = projectFolder(TOOL);
    folder.write("~/trust.json", "{ not json");
    const { trust, problems } = await start(folder);
    expect(await trust.ask(asker(ALWAYS).host)).toBe("trusted");
    expect(readFileSync(folder.at("~/trust.json"), "utf8")).toBe("{ not json");
    expect(problems.at(-1)).toStartWith("the answer applies, but could not be stored: home/trust.json: ");
  });
});

describe("another directory", () => {
  /** Asks and waits, like a user who takes time to decide. */
  function thinker() {
    const open: { request: TrustRequest; signal: AbortSignal | undefined }[] = [];
    const answers: ((answer: TrustAnswer) => void)[] = [];
    const host: TrustAsker = {
      by: "host",
      ask(request, signal) {
        open.push({ request, signal });
        return new Promise((resolve) => answers.push(resolve));
      },
    };
    return { host, open, answers };
  }
  const asked = async (open: readonly unknown[], count: number) => {
    while (open.length < count) await new Promise(setImmediate);
  };

  test("ends the question about the one that was left; its late answer counts for neither", async () => {
    using one = projectFolder(TOOL);
    using other = projectFolder(TOOL);
    const { trust } = await start(one);
    const { host, open, answers } = thinker();
    const first = trust.ask(host);
    await asked(open, 1);
    await trust.review(other.cwd);
    expect([open[0]?.signal?.aborted, await first]).toEqual([true, "withheld"]);
    const second = trust.ask(host);
    await asked(open, 2);
    expect(open[1]?.request.project).toBe(other.cwd);
    answers[0]?.(YES);
    expect(trust.ask(host)).toBe(second);
    answers[1]?.(YES);
    expect([await second, trust.state]).toEqual(["trusted", "trusted"]);
    expect(await trust.review(one.cwd)).toBe("withheld");
    expect(await trust.review(other.cwd)).toBe("trusted");
  });
});

describe("while another directory is looked at", () => {
  test("consent to the last one counts for nothing in it", async () => {
    using folder = projectFolder(TOOL);
    using other = projectFolder(TOOL);
    const { trust } = await start(folder);
    await trust.ask(asker(YES).host);
    expect(trust.isTrusted).toBe(true);
    const moving = trust.review(other.cwd);
    expect(trust.isTrusted).toBe(false);
    expect(await moving).toBe("withheld");
  });

  test("an earlier look that takes longer does not open it", async () => {
    using folder = projectFolder(TOOL);
    using other = projectFolder(TOOL);
    other.link(".pintle/tools/b.ts", other.write("../outside.ts", "2"));
    const first = await start(folder);
    await first.trust.ask(asker(ALWAYS).host);
    const { trust } = await start(folder);
    const slow = trust.review(); // reads what was remembered
    await trust.review(other.cwd); // a file elsewhere cannot be approved, so nothing has to be read
    expect(trust.obstacle).toBeDefined();
    await slow;
    expect([trust.state, trust.isTrusted]).toEqual(["withheld", false]);
  });
});
