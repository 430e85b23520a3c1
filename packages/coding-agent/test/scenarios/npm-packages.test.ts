import { afterAll, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";
import { where } from "../support/where.ts";

/** Published packages, each used as its users would; the text is the expected output. */
const USES: readonly [name: string, version: string, use: string, gives: unknown][] = [
  ["diff", "9.0.0", `(await import("diff")).diffWords("a b", "a c").length`, 3],
  ["yaml", "2.9.1", `(await import("yaml")).parse("a: [1]").a[0]`, 1],
  ["ajv", "8.20.0", `new (require("ajv").default)().compile({ type: "number" })("x")`, false],
  ["ajv", "8.20.0", `new (await import("ajv/dist/2020.js")).default.default().validate({ minimum: 2 }, 3)`, true],
  ["ajv-formats", "3.0.1", `typeof require("ajv-formats").default`, "function"],
  ["partial-json", "0.1.7", `(await import("partial-json")).parse('{"a":[1,2')`, { a: [1, 2] }],
  ["partial-json", "0.1.7", `typeof (await import("partial-json/options")).Allow.ALL`, "number"],
  ["zod", "4.6.7", `(await import("zod")).z.object({ a: (await import("zod")).z.number() }).parse({ a: 1 })`, { a: 1 }],
  ["zod", "4.6.7", `typeof (await import("zod/v4/locales/de.js")).default`, "function"],
  [
    "semver",
    "7.8.6",
    `require("semver").gt("2.0.0", "1.0.0") && require("semver/functions/gt")("2.0.0", "1.0.0")`,
    true,
  ],
  ["chalk", "5.6.2", `new (await import("chalk")).Chalk({ level: 1 }).red("x")`, "\u001b[31mx\u001b[39m"],
  ["nanoid", "5.1.16", `(await import("nanoid")).nanoid().length`, 21],
  ["picocolors", "1.1.1", `require("picocolors").createColors(false).red("x")`, "x"],
  ["minimatch", "11.0.7", `(await import("minimatch")).minimatch("a/b.ts", "**/*.ts")`, true],
  ["uuid", "14.0.3", `(await import("uuid")).validate((await import("uuid")).v7())`, true],
  ["date-fns", "4.4.0", `(await import("date-fns")).addDays(new Date(0), 1).getTime()`, 86_400_000],
  ["date-fns", "4.4.0", `(await import("date-fns/locale/de")).de.code`, "de"],
  ["execa", "9.6.1", `(await (await import("execa")).execa("echo", ["x"])).stdout`, "x"],
  ["commander", "14.0.3", `new (await import("commander")).Command("n").name()`, "n"],
  ["js-yaml", "5.5.0", `(await import("js-yaml")).load("a: 1")`, { a: 1 }],
  ["gray-matter", "4.0.3", `require("gray-matter")("---\\na: 1\\n---\\nb").data`, { a: 1 }],
  ["fast-glob", "3.3.3", `require("fast-glob").isDynamicPattern("*.ts")`, true],
  [
    "dayjs",
    "1.11.23",
    `require("dayjs")(0).extend === undefined && typeof (await import("dayjs/plugin/utc")).default`,
    "function",
  ],
  ["lodash", "4.18.1", `require("lodash/get")({ a: { b: 1 } }, "a.b")`, 1],
  ["p-limit", "7.3.3", `await (await import("p-limit")).default(1)(() => "x")`, "x"],
];

const MODULE = `
  import { writeFileSync } from "node:fs";
  const uses = [${USES.map(([, , use]) => `async () => ${use}`).join(",\n")}];
  const handler = async () => {
    const given = [];
    for (const use of uses) given.push(await use().catch(String));
    writeFileSync(process.env.OUT, JSON.stringify(given));
  };
  export default (pi) => pi.registerCommand("use", { handler });`;

const MOST_MS = 120_000;

/** Installs them from npm's configured registry, or returns why that is impossible. */
async function installed(): Promise<{ folder: ReturnType<typeof scratchDirectory>; problem?: string }> {
  const folder = scratchDirectory();
  const names = [...new Set(USES.map(([name, version]) => `${name}@${version}`))];
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
  writeFileSync(join(folder.path, "package.json"), "{}");
  const npm = Bun.spawn(["npm", "install", ...quiet, "--fetch-retries=0", ...names], {
    cwd: folder.path,
    stdout: "ignore",
    stderr: "pipe",
    timeout: MOST_MS,
  });
  const [code, stderr] = await Promise.all([npm.exited, new Response(npm.stderr).text()]);
  return code === 0 ? { folder } : { folder, problem: stderr.match(/npm error .*/)?.[0] ?? `npm ended with ${code}` };
}

const { folder, problem } = await installed();
afterAll(() => folder[Symbol.dispose]());
const isLeftOut = problem !== undefined && !process.env.CI;

where(!isLeftOut, `no packages from the registry: ${problem}`).test(
  "packages from the registry work next to an extension in the built program",
  async () => {
    if (problem !== undefined) throw new Error(problem);
    using place = machine();
    const out = join(place.root, "out");
    const module = join(folder.path, "it.ts");
    writeFileSync(module, MODULE);
    await using rpc = await startRpc(["-e", module], { cwd: place.cwd, env: { ...place.env, OUT: out } });
    rpc.send({ id: "use", type: "prompt", message: "/use" });
    await rpc.until(({ id, type }) => id === "use" && type === "prompt_result");
    const given: unknown[] = JSON.parse(readFileSync(out, "utf8"));
    expect(USES.map(([name, , use], n) => [name, use, given[n]])).toEqual(
      USES.map(([name, , use, gives]) => [name, use, gives]),
    );
  },
  60_000,
);
