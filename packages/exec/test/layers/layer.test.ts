import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { where } from "../../../coding-agent/test/support/where.ts";
import { Layer, LayerError, type LayerStrength } from "../../src/layers/index.ts";
import { LayerFolder } from "../../src/layers/layer-folder.ts";
import { PlainCopy } from "../../src/layers/plain-copy.ts";
import { exitWithin } from "../../src/processes/exit-within.ts";
import { ProcessRunner } from "../../src/processes/process-runner.ts";
import { runInLayer, worksHere } from "../support/layers.ts";

let scratch: string;
let work: string;
let directory: string;
let processRunner: ProcessRunner;
let layers: Layer[];

beforeEach(() => {
  scratch = scratchPath();
  work = join(scratch, "the work: one, two");
  directory = join(scratch, "home/transactions");
  mkdirSync(join(work, "src/deep"), { recursive: true });
  mkdirSync(join(work, ".git/hooks"), { recursive: true });
  writeFileSync(join(work, "a.txt"), "a\n");
  writeFileSync(join(work, "src/b.txt"), "b\n");
  writeFileSync(join(work, "src/deep/c.txt"), "c\n");
  writeFileSync(join(work, ".git/config"), "[core]\n");
  symlinkSync("a.txt", join(work, "link"));
  processRunner = new ProcessRunner({ environment: process.env });
  layers = [];
});

afterEach(async () => {
  for (const layer of layers) layer.discard();
  await processRunner.killAll("shutdown", 0);
  rmSync(scratch, { recursive: true, force: true });
});

async function start(strength: LayerStrength, roots: readonly string[] = [work], id = "tx_1"): Promise<Layer> {
  const layer = await Layer.start({ directory, id, roots, strengths: [strength], processRunner });
  layers.push(layer);
  return layer;
}

async function run(layer: Layer, script: string, cwd = work): Promise<string> {
  return runInLayer(processRunner, layer, script, cwd);
}

/** `M a.txt` for a changed or new file, `L` for a link, `D` for a deleted one; `?` if the base may have changed. */
function shown(layer: Layer): string[] {
  const letters = { file: "M", symlink: "L", deleted: "D" };
  return layer
    .changes()
    .changes.map(
      ({ path, state, isBaseUnchanged }) =>
        `${letters[state]}${isBaseUnchanged ? "" : "?"} ${path.slice(work.length + 1)}`,
    );
}

/** Returns everything below a directory with its content. */
function contents(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return `${file.slice(path.length)} ${entry.isFile() ? readFileSync(file, "utf8") : ""} ${lstatSync(file).mode} ${lstatSync(file).ctimeMs}`;
    })
    .sort();
}

describe.each(["overlay", "copy"] as const)("a layer by %s", (strength) => {
  const works = where(worksHere(strength), `needs namespaces for ${strength}`);

  works.test("keeps the workspace as it is, whatever commands and this process do", async () => {
    const before = contents(work);
    const layer = await start(strength);
    expect(layer.strength).toBe(strength);
    expect(layer.missing).toEqual([]);
    await run(layer, 'rm a.txt && echo new > "$PWD/src/b.txt" && mv src/deep moved && ln -s /etc etc');
    writeFileSync(join(layer.rootOf(work), "own.txt"), "own\n");
    expect(await run(layer, `cat own.txt '${work}/src/b.txt' moved/c.txt`)).toBe("own\nnew\nc\n");
    expect(readFileSync(join(layer.rootOf(work), "src/b.txt"), "utf8")).toBe("new\n");
    expect(contents(work)).toEqual(before);
    expect(shown(layer)).toEqual(["D a.txt", "L etc", "M moved/c.txt", "M own.txt", "M src/b.txt", "D src/deep/c.txt"]);
  });

  works.test("lists only what differs", async () => {
    const layer = await start(strength);
    await run(layer, "touch a.txt; echo x >> src/b.txt; echo b > src/b.txt; chmod 755 src; mkdir empty");
    expect(shown(layer)).toEqual([]);
    await run(layer, "chmod 700 a.txt; ln -sf src link");
    expect(shown(layer)).toEqual(["M a.txt", "L link"]);
  });

  works.test("files and directories take each other's place", async () => {
    const layer = await start(strength);
    await run(layer, "rm -r src && echo file > src && rm a.txt && mkdir a.txt && echo inner > a.txt/inner");
    expect(shown(layer)).toEqual(["D a.txt", "M a.txt/inner", "M src", "D src/b.txt", "D src/deep/c.txt"]);
    await run(layer, "rm src && mkdir -p src/deep && echo z > src/z");
    expect(shown(layer)).toEqual(["D a.txt", "M a.txt/inner", "D src/b.txt", "D src/deep/c.txt", "M src/z"]);
  });

  works.test("names repositories that were changed, and lists nothing in them", async () => {
    const layer = await start(strength);
    await run(layer, "cat .git/config; mkdir -p sub/.git && echo x > sub/.git/HEAD");
    expect(layer.changes()).toEqual({ changes: [], repositories: [join(work, "sub")], skipped: [] });
    await run(layer, "echo more >> .git/config");
    expect(layer.changes().repositories).toEqual([work, join(work, "sub")]);
  });

  works.test("names what cannot be applied", async () => {
    const layer = await start(strength);
    await run(layer, "mkfifo pipe; echo x > ok");
    expect(layer.changes()).toMatchObject({ skipped: [join(work, "pipe")], changes: [{ path: join(work, "ok") }] });
  });

  works.test("tells what others have changed since its start", async () => {
    const layer = await start(strength);
    await run(layer, "echo mine > a.txt; rm src/b.txt; rm -r src/deep");
    writeFileSync(join(work, "a.txt"), "theirs\n");
    writeFileSync(join(work, "src/b.txt"), "theirs\n");
    writeFileSync(join(work, "unrelated.txt"), "theirs\n");
    expect(shown(layer)).toEqual(["M? a.txt", "D? src/b.txt", "D src/deep/c.txt"]);
  });

  works.test("a file that others put into a deleted directory is never simply deleted", async () => {
    const old = join(scratch, "old");
    mkdirSync(old);
    writeFileSync(join(old, "kept.txt"), "kept\n");
    utimesSync(join(old, "kept.txt"), 1, 1);
    const layer = await start(strength);
    await run(layer, "rm -r src");
    rmSync(join(work, "src/deep"), { recursive: true });
    renameSync(old, join(work, "src/deep"));
    expect(shown(layer).filter((line) => line.startsWith("D ") && line.includes("kept"))).toEqual([]);
  });

  works.test("several directories, one of them inside another", async () => {
    const other = join(scratch, "other");
    mkdirSync(other);
    writeFileSync(join(other, "o.txt"), "o\n");
    const layer = await start(strength, [work, other, join(work, "src")]);
    expect(layer.roots).toEqual([work, other]);
    await run(layer, `echo 1 > src/b.txt; echo 2 > '${other}/o.txt'`);
    expect(readFileSync(join(other, "o.txt"), "utf8")).toBe("o\n");
    expect(layer.changes().changes.map(({ path }) => path)).toEqual([join(other, "o.txt"), join(work, "src/b.txt")]);
  });

  works.test("survives the process that made it", async () => {
    const program = join(import.meta.dir, "../support/layer-victim.ts");
    const victim = Bun.spawn([process.execPath, program, directory, work, strength], { stdout: "pipe" });
    expect(new TextDecoder().decode((await victim.stdout.getReader().read()).value)).toBe("written\n");
    victim.kill("SIGKILL");
    await victim.exited;
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("a\n");

    const layer = (await Layer.reopen({ directory, id: "tx_1", processRunner })) as Layer;
    layers.push(layer);
    expect(layer).toMatchObject({ strength, roots: [work] });
    expect(shown(layer)).toEqual(["M a.txt", "D src/b.txt"]);
    expect(await run(layer, "cat a.txt")).toBe("from the victim\n");
  });

  works.test("names and ends the processes that are still in it", async () => {
    const layer = await start(strength);
    const command = layer.command(["/bin/sh", "-c", "sleep 1000 & sleep 1001"], { cwd: work, isSandboxed: false });
    const child = processRunner.start({ command, cwd: "/", stderr: "ignore" });
    const names = () => layer.processes().map(({ name }) => name);
    while (names().filter((name) => name === "sleep").length < 2) await Bun.sleep(5);
    const stopped = await layer.stopProcesses();
    expect(stopped.filter(({ name }) => name === "sleep")).toHaveLength(2);
    expect(layer.processes()).toEqual([]);
    await Promise.all([child.exited, child.stdout.discardRest()]);
  });

  works.test("a command cannot take it away", async () => {
    const layer = await start(strength);
    expect(await run(layer, 'umount . "$PWD" 2>&1; umount -l "$PWD" 2>&1; echo x > a.txt; cat a.txt')).toEndWith("x\n");
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("a\n");
  });

  works.test("nothing is left when it is discarded", async () => {
    const layer = await start(strength);
    await run(layer, "mkdir closed && echo x > closed/x && chmod 000 closed");
    layers = [];
    layer.discard();
    expect(readdirSync(directory)).toEqual([]);
    expect(await Layer.reopen({ directory, id: "tx_1", processRunner })).toBeUndefined();
  });
});

describe("without namespaces", () => {
  test("runs commands in a copy, and reports that absolute paths lead out of it", async () => {
    const folder = new LayerFolder(directory, "tx_1");
    await folder.create("copy", [work]);
    mkdirSync(join(folder.of(0, "copy"), "src"));
    const view = new PlainCopy({ folder, roots: [work] });
    const command = view.command(["/bin/sh", "-c", "pwd; echo x > y"], { cwd: join(work, "src"), isSandboxed: false });
    const child = processRunner.start({ command, cwd: "/", stderr: "ignore" });
    const [{ code }] = await Promise.all([exitWithin(child, {}), child.stdout.discardRest()]);
    expect(code).toBe(0);
    expect(view.missing).toEqual(["absolute_paths"]);
    expect(existsSync(join(work, "src/y"))).toBe(false);
    expect(existsSync(join(view.roots[0]!, "src/y"))).toBe(true);
  });
});

describe("no layer", () => {
  const refuse = (roots: readonly string[], overrides: { id?: string; directory?: string } = {}) =>
    Layer.start({ directory, id: "tx_1", roots, strengths: ["overlay", "copy"], processRunner, ...overrides });

  test("around pintle's own directory", async () => {
    expect(refuse([scratch])).rejects.toThrow(/contains pintle's own directory/);
  });

  test("of a directory that does not exist, and leaves nothing behind", async () => {
    expect(refuse([join(scratch, "missing")])).rejects.toBeInstanceOf(LayerError);
    expect(existsSync(join(directory, "tx_1"))).toBe(false);
  });

  test.each(["../x", "", "a/b", "."])("with the id %j", async (id) => {
    expect(refuse([work], { id })).rejects.toThrow(/Not an id/);
    expect(Layer.reopen({ directory, id, processRunner })).rejects.toThrow(/Not an id/);
  });

  where(worksHere("copy"), "needs namespaces").test("with the id of another one, which stays", async () => {
    const layer = await start("copy");
    await run(layer, "echo x > kept");
    expect(refuse([work])).rejects.toThrow("The layer tx_1 already exists");
    expect(await run(layer, "cat kept")).toBe("x\n");
  });

  for (const [name, text] of [
    ["layer.json", "{"],
    ["layer.json", '{"version":1,"strength":"overlay","roots":["relative"]}'],
    ["layer.json", '{"version":2,"strength":"copy","roots":["/"]}'],
    ["0/manifest.jsonl", '["a.txt","1 2 3 4"]\n'],
    ["0/manifest.jsonl", "not JSON"],
  ] as const) {
    where(worksHere("copy"), "needs namespaces").test(`from a damaged ${name}: ${text}`, async () => {
      (await start("copy")).close();
      layers = [];
      chmodSync(join(directory, "tx_1", name), 0o600);
      writeFileSync(join(directory, "tx_1", name), text);
      expect(Layer.reopen({ directory, id: "tx_1", processRunner })).rejects.toBeInstanceOf(LayerError);
    });
  }
});

where(worksHere("copy"), "needs namespaces").test("a layer is private", async () => {
  const layer = await start("copy");
  expect(statSync(join(directory, "tx_1")).mode & 0o777).toBe(0o700);
  expect(layer.changes().changes).toEqual([]);
});
