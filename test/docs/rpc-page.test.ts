import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "@pintle/wire";
import { gatewayCommands } from "@pintle/wire/gateway";
import { readProtocol } from "@pintle/wire/schemas";
import { cleanEnvironment, dist, repository, runProgram } from "../../packages/coding-agent/test/support/program.ts";
import {
  checkGatewayFrame,
  checkHostFrame,
  checkServerFrame,
} from "../../packages/coding-agent/test/support/protocol-checker.ts";
import { renderRpcPage } from "../../scripts/docs/rpc-page.ts";
import { scratchDirectory } from "../support/scratch-directory.mjs";

const page = renderRpcPage();
const lines = page.split("\n");

test("docs/rpc.md is up to date", () => {
  const stored = readFileSync(join(repository, "docs/rpc.md"), "utf8");
  expect(stored === page, "It does not match the declarations. Run: npm run docs").toBe(true);
});

test("every command has a row", () => {
  const begin = lines.indexOf("## Commands");
  const rows = lines.slice(begin, lines.indexOf("## What waits for what")).filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => row.split("`")[1])).toEqual(Object.keys(commands));
});

test("every command of the gateway has a row in its own table", () => {
  const begin = lines.indexOf("### Commands of a gateway");
  const rows = lines
    .slice(begin, lines.indexOf("### Fields of gateway frames"))
    .filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => row.split("`")[1])).toEqual(Object.keys(gatewayCommands));
});

test("every event and every frame has a section, every type a declaration", () => {
  const { agentEvents, sessionEvents, serverFrames, hostFrames, gateway, types } = readProtocol();
  const frames = [agentEvents, sessionEvents, serverFrames, hostFrames, gateway.events, [gateway.ready]].flatMap(
    (group) => Object.values(group),
  );
  const names = frames.map(({ anyOf, properties = anyOf?.[0]?.properties }) => String(properties?.type?.const));
  const headings = lines.map((line) => /^###{1,2} `(.*)`$/.exec(line)?.[1]);
  expect(names.filter((name) => !headings.includes(name))).toEqual([]);
  const declared = new Set([...page.matchAll(/^(?:interface|type) (\w+)/gm)].map((match) => match[1]));
  expect(Object.keys(types).filter((name) => !declared.has(name))).toEqual([]);
});

test("nothing of the template is left", () => {
  expect(page.match(/\{\{[\w.]+\}\}|undefined|NaN/g)).toBeNull();
});

test("the links within the page lead somewhere", () => {
  const anchors = new Set(lines.filter((line) => line.startsWith("#")).map(toAnchor));
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] as string);
  expect(links.filter((link) => !anchors.has(link))).toEqual([]);
  expect(links.length).toBeGreaterThan(5);
});

const toAnchor = (heading: string) => heading.replace(/^#+ /, "").toLowerCase().replaceAll(" ", "-");

describe("examples", () => {
  test("every frame that is shown is one", () => {
    const shown = lines.filter((line) => /^[→←] /.test(line));
    const faults = shown.flatMap((line) => {
      const frame = JSON.parse(line.slice(2));
      const faults = line.startsWith("→") ? checkHostFrame(frame) : checkServerFrame(frame);
      const isForGateway = line.startsWith("→") && checkGatewayFrame(frame).length === 0;
      return isForGateway ? [] : faults.map((fault) => `${fault}: ${line}`);
    });
    expect(faults).toEqual([]);
    expect(shown.length).toBeGreaterThan(30);
  });

  test("the data types are TypeScript", () => {
    const block = codeBlocks("ts").join("\n");
    expect(() => new Bun.Transpiler({ loader: "ts" }).transformSync(block)).not.toThrow();
    expect(block).toContain("interface AssistantMessage {");
  });

  test("the host in the beginning works as it stands", async () => {
    using scratch = scratchDirectory();
    const [host = ""] = codeBlocks("js");
    writeFileSync(join(scratch.path, "host.mjs"), host);
    const env = cleanEnvironment(scratch.path);
    const { code, stdout, stderr } = await runProgram(["host.mjs", "help"], {
      cwd: scratch.path,
      env: { ...env, PATH: `${dist}:${env.PATH}` },
      command: ["node"],
    });
    expect({ code, stderr: stderr.replace(/^pintle: No model is configured.*\n/, "") }).toEqual({
      code: 0,
      stderr: "",
    });
    expect(stdout).toContain("offline model");
  });
});

function codeBlocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    (match) => match[1] as string,
  );
}
