import { defineCustomTool } from "../api/defined-tools.ts";
import { PINTLE_SPECIFIERS, provideModules } from "../loading/virtual-modules.ts";
import { aiExports } from "./ai-exports.ts";
import { codingAgentExports } from "./coding-agent-exports.ts";
import { tuiExports } from "./inert-exports.ts";

/** Under which existing extensions know the packages of the program they were written for. */
const SCOPES = ["@earendil-works", "@mariozechner", "@oh-my-pi"];

const inScopes = (...names: string[]) => SCOPES.flatMap((scope) => names.map((name) => `${scope}/${name}`));

/**
 * Makes every package importable that an extension may name, in this whole process. Gives what `pintle` stands for in modules.
 * The first call counts: virtual modules belong to the process.
 */
export async function provideAliases(publicExports: () => Promise<object>): Promise<Readonly<Record<string, unknown>>> {
  const { complete, stream, StringEnum, Type } = aiExports;
  const calls = { complete, stream, StringEnum, Type };
  const pi = Object.freeze({ ...codingAgentExports, ...calls, ...(await publicExports()), defineCustomTool });
  provideModules([
    { specifiers: [...PINTLE_SPECIFIERS, ...inScopes("pi-coding-agent")], load: () => pi },
    { specifiers: inScopes("pi-ai", "pi-ai/compat"), load: () => aiExports },
    { specifiers: inScopes("pi-tui"), load: () => tuiExports },
    // Types only.
    { specifiers: inScopes("pi-agent-core"), load: () => ({}) },
  ]);
  return pi;
}
