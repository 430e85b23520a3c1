// The interactive part of docs/playground.md: the client and the simulator, bundled for a browser.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";

export const PLAYGROUND = "playground";
/** Scripts of the page, in this order. */
export const PLAYGROUND_SCRIPTS = ["assets/playground-meanings.js", "assets/playground.js"];
export const PLAYGROUND_HTML =
  '<h2 id="try-it">Try it</h2>\n<div id="playground" class="playground"><p>This part needs JavaScript.</p></div>\n';

/** What the reference does not describe in a sentence of its own. */
const QUESTIONS = {
  ready: "The first frame of the agent: its version, session and capabilities.",
  approval_request: "A tool call waits until the host allows or denies it.",
  approval_response: "The host's decision on a tool call.",
  host_tool_call: "The model calls a tool that the host runs.",
  host_tool_update: "Progress of a tool that the host runs.",
  host_tool_result: "The result of a tool that the host ran.",
  extension_ui_request: "An extension asks the user, or shows something.",
  extension_ui_response: "The user's answer to an extension.",
};

/** Writes the scripts of the page into the folder of assets. */
export function buildPlayground(assets) {
  const meanings = `globalThis.pintleMeanings = ${JSON.stringify(readMeanings())};\n`;
  writeFileSync(join(assets, "playground-meanings.js"), meanings);
  const entry = join(root, "scripts/site/playground/page.ts");
  const outfile = join(assets, "playground.js");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["build", entry, "--minify", "--target=browser", "--format=iife", "--outfile", outfile],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The playground cannot be built: ${stderr}`);
}

/** The description of every command and event in the schema, by its type. */
function readMeanings() {
  const { $defs } = JSON.parse(readFileSync(join(root, "docs/protocol.schema.json"), "utf8"));
  const described = Object.values($defs).flatMap(({ properties, description }) => {
    const type = properties?.type?.const;
    return typeof type === "string" && description ? [[type, description]] : [];
  });
  return { ...Object.fromEntries(described), ...QUESTIONS };
}
