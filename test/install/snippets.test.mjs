// Runs every code block of the documentation as a reader does: with the packages installed, an empty home directory, no
// key.
import { beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { where } from "../../packages/coding-agent/test/support/where.ts";
import { root } from "../../scripts/paths.mjs";
import { COMPILER_ENV, typescript } from "../../scripts/typescript.mjs";
import {
  emptyDirectory,
  installedProject,
  installedPython,
  PATIENCE_MS,
  runIn,
  startIn,
} from "./support/installed.mjs";
import { documentationPages, snippetsOf } from "./support/snippets.mjs";

const snippets = documentationPages().flatMap((page) => snippetsOf(page));

/** Messages of the program in an empty home directory that are not failures. */
const EXPECTED_ERRORS =
  /^pintle: (No model is configured|session |no session |.* is not on the PATH; put it first).*\n/gm;

let project;
beforeAll(async () => {
  project = await installedProject();
  // The content of `npm install --save-dev @types/node`.
  for (const name of ["@types/node", "undici-types"])
    cpSync(join(root, "node_modules", name), join(project, "node_modules", name), { recursive: true });
}, PATIENCE_MS);

/** A directory per page, in which its blocks run in order: later ones use files that earlier ones saved. */
function placeOf({ page }) {
  const directory = join(project, "pages", page.replaceAll("/", "-"));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "a.txt"), "hello\n");
  const home = emptyDirectory(join("homes", page));
  const env = {
    PATH: [join(project, "node_modules/.bin"), process.env.PATH].join(":"),
    HOME: home,
    PINTLE_HOME: join(home, ".pintle"),
  };
  return { directory, home, env };
}

async function run(place, command) {
  const { code, stdout, stderr } = await runIn(place.directory, command, { env: place.env });
  expect({ code, stderr: stderr.replaceAll(EXPECTED_ERRORS, "") }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Writes a block to a file of its page's directory. */
function write({ line, code }, { directory }, ending) {
  const name = `line-${line}.${ending}`;
  writeFileSync(join(directory, name), code);
  return name;
}

/** language → runs a block and returns what it printed */
const RUNNERS = {
  js: (snippet, place) => {
    const runtime = snippet.code.includes('from "pintle"') ? process.execPath : "node";
    return run(place, [runtime, write(snippet, place, "mjs")]);
  },
  ts: (snippet, place) => run(place, [process.execPath, write(snippet, place, "run.ts")]),
  python: async (snippet, place) => {
    const env = { ...place.env, PYTHONPATH: await installedPython() };
    return run({ ...place, env }, ["python3", write(snippet, place, "py")]);
  },
  sh: ({ code }, place) => run(place, ["sh", "-ec", code]),
  bash: ({ code }, place) => run(place, ["bash", "-ec", code]),
  console: runTranscript,
  json: async ({ code }) => {
    parseValues(code);
    return code;
  },
};
/** Output, formats and file contents that nothing executes. */
const PLAIN = ["text", "markdown"];

/** Runs each line with a prompt and compares its output with the lines below it. */
async function runTranscript({ code }, place) {
  const steps = code.split(/^\$ /m).slice(1);
  for (const step of steps) {
    const [command, ...printed] = step.trimEnd().split("\n");
    expect((await run(place, ["sh", "-ec", command])).trimEnd()).toBe(printed.join("\n"));
  }
  return code;
}

/** A block contains one value, or one per line. */
function parseValues(code) {
  try {
    return [JSON.parse(code)];
  } catch {
    return code.trimEnd().split("\n").map(JSON.parse);
  }
}

/** Runs `work` while a server runs that has printed its first line. */
async function during(command, place, work) {
  if (command === undefined) return work();
  const { child, exited } = startIn(place.directory, ["sh", "-c", `exec ${command}`], { env: place.env });
  try {
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), exited]);
    return await work();
  } finally {
    child.kill();
    await exited;
  }
}

/** Saves a block where the page says. */
function save({ file, code }, { directory, home }) {
  const path = file.startsWith("~/") ? join(home, file.slice(2)) : join(directory, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}

test("every code block names its language, and runs or says why it does not", () => {
  const unclear = snippets
    .filter(({ language, reason }) => !(language in RUNNERS || PLAIN.includes(language) || (language && reason)))
    .map(({ name, language }) => `${name}: ${language === "" ? "no language" : `${language} without "not run"`}`);
  expect(unclear).toEqual([]);
});

const needs = {
  python: where(Bun.which("python3") !== null, "needs python3"),
  bash: where(Bun.which("bash") !== null, "needs bash"),
};

for (const [page, blocks] of Map.groupBy(snippets, ({ page }) => page)) {
  const active = blocks.filter(({ language, reason }) => language in RUNNERS && reason === undefined);
  if (active.length === 0) continue;
  describe(page, () => {
    for (const snippet of active) {
      const { language, line, file, output, server } = snippet;
      (needs[language] ?? { test }).test(
        `line ${line} (${language})`,
        async () => {
          const place = placeOf(snippet);
          if (file !== undefined) {
            save(snippet, place);
            if (language !== "json") {
              expect(active.at(-1), "a block that uses the saved file").not.toBe(snippet);
              return;
            }
          }
          const printed = await during(server, place, () => RUNNERS[language](snippet, place));
          expect(printed).toContain(output ?? "");
        },
        PATIENCE_MS,
      );
    }
  });
}

test(
  "every block of TypeScript is free of type errors, fragments included",
  async () => {
    const typed = snippets.filter(({ language }) => language === "ts");
    const directory = join(project, "pages/types");
    mkdirSync(directory, { recursive: true });
    const files = typed.map((snippet) => {
      const name = `${snippet.page.replaceAll("/", "-")}-line-${snippet.line}.mts`;
      writeFileSync(join(directory, name), `${snippet.context ?? ""}\n${snippet.code}\nexport {};\n`);
      return name;
    });
    const compilerOptions = {
      module: "NodeNext",
      target: "ES2023",
      lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.AsyncIterable"],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ["node"],
    };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const { code, stdout } = await runIn(directory, typescript(["-p", "tsconfig.json"]), { env: COMPILER_ENV });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  },
  PATIENCE_MS,
);

describe("the blocks of a page", () => {
  const fence = "```";

  test("are found in lists and inside longer fences, with their directives", () => {
    const text = `<!-- snippet: not run: needs a key -->\n${fence}sh\na\n${fence}\n1. x\n   ${fence}json\n   {}\n   ${fence}\n\`${fence}text\n${fence}\n\`${fence}\n`;
    expect(snippetsOf("p.md", text).map(({ name, language, code, reason }) => [name, language, code, reason])).toEqual([
      ["p.md:2", "sh", "a\n", "needs a key"],
      ["p.md:6", "json", "{}\n", undefined],
      ["p.md:9", "text", `${fence}\n`, undefined],
    ]);
  });

  test.each([
    [`<!-- snippet: not run -->\n${fence}sh\n${fence}`, "is not one of"],
    [`<!-- snippet: not run: -->\n${fence}sh\n${fence}`, "is not one of"],
    [`<!-- snippet: skipped: needs a key -->\n${fence}sh\n${fence}`, "is not one of"],
    [`<!-- snippet: not run: needs a key -->\nText`, "must follow"],
    [`${fence}sh\nls`, "has no end"],
  ])("%j is refused", (text, complaint) => {
    expect(() => snippetsOf("p.md", text)).toThrow(complaint);
  });
});
