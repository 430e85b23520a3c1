// Adds facts from project files to the system prompt: the package manager, and the content of CONVENTIONS.md.
//   pintle --extension examples/extensions/project-facts.ts -p 'what files are here'
// The files are read before every run, so changes apply immediately; only a change invalidates the provider's prompt
// cache.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExtensionFactory } from "pintle";

const LOCK_FILES: readonly [file: string, manager: string][] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["package-lock.json", "npm"],
  ["uv.lock", "uv"],
];
const MAX_CHARACTERS = 10_000;

const extension: ExtensionFactory = (pi) => {
  pi.on("before_agent_start", async ({ systemPrompt }, { cwd }) => {
    const manager = LOCK_FILES.find(([file]) => existsSync(join(cwd, file)))?.[1];
    const conventions = await readFile(join(cwd, "CONVENTIONS.md"), "utf8").catch(() => "");
    const facts = [
      ...(manager ? [`Packages are managed with ${manager}; use no other package manager.`] : []),
      ...(conventions ? [`Conventions of this project:\n${conventions.slice(0, MAX_CHARACTERS)}`] : []),
    ];
    return facts.length > 0 ? { systemPrompt: [systemPrompt, ...facts].join("\n\n") } : undefined;
  });
};

export default extension;
