// Neither can run where the tests run, so only their syntax and the names in them are checked.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

test("the container file copies what exists, and runs the program as a user without rights", () => {
  const lines = read("Dockerfile")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const instructions = lines.map((line) => /^([A-Z]+) +(.+)$/.exec(line)?.slice(1) ?? [line]);
  const KNOWN = ["FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"];
  expect(instructions.filter(([name]) => !KNOWN.includes(name))).toEqual([]);
  const copied = instructions
    .filter(([name, rest]) => name === "COPY" && !rest.startsWith("--from"))
    .flatMap(([, rest]) => rest.split(" ").slice(0, -1));
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(copied.length).toBeGreaterThan(0);
  const names = instructions.map(([name]) => name);
  expect(names.lastIndexOf("USER")).toBeGreaterThan(names.lastIndexOf("RUN"));
  // Without it, the agent's commands run in a weaker sandbox.
  expect(lines.find((line) => line.includes("apt-get install"))).toMatch(/ bubblewrap /);
  const json = (wanted) => JSON.parse(instructions.find(([name]) => name === wanted)[1]);
  expect([json("ENTRYPOINT"), json("CMD")]).toEqual([["/opt/pintle/pintle"], ["--help"]]);
});

test("the workflow is YAML whose jobs name a machine and steps, and calls scripts that exist", () => {
  const workflow = Bun.YAML.parse(read(".github/workflows/test.yml"));
  expect(Object.keys(workflow)).toEqual(["name", "on", "permissions", "concurrency", "jobs"]);
  const jobs = Object.values(workflow.jobs);
  const machines = jobs.flatMap((job) => job.strategy?.matrix.include.map(({ os }) => os) ?? [job["runs-on"]]);
  expect(new Set(machines)).toEqual(new Set(["ubuntu-latest", "macos-latest", "windows-latest"]));
  const steps = jobs.flatMap((job) => job.steps);
  expect(steps.filter((step) => (step.uses === undefined) === (step.run === undefined))).toEqual([]);
  const scripts = steps.flatMap(({ run = "" }) => [...run.matchAll(/node (scripts\/\S+)/g)].map(([, path]) => path));
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
