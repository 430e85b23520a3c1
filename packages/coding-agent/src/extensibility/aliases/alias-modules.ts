import { defineCustomTool } from "../api/defined-tools.ts";
import { PINTLE_SPECIFIERS, provideModules } from "../loading/virtual-modules.ts";
import { agentCoreOffer } from "./agent-core-exports.ts";
import { aiModelsOffer, aiOffer, aiProvidersOffer } from "./ai-exports.ts";
import { codingAgentOffer } from "./coding-agent-exports.ts";
import { tuiOffer } from "./inert-exports.ts";
import type { Exports, Offer } from "./offer.ts";
import type { PublishedModule } from "./stand-ins.ts";

/** The scopes under which existing extensions import the packages of the program they were written for. */
const SCOPES = ["@earendil-works", "@mariozechner", "@oh-my-pi"];

/** What pintle provides in each module. */
export const OFFERS: Readonly<Record<PublishedModule, Offer>> = {
  "pi-coding-agent": codingAgentOffer,
  "pi-ai": aiOffer,
  "pi-ai/compat": aiOffer,
  "pi-ai/models": aiModelsOffer,
  "pi-ai/oauth": { works: {} },
  "pi-ai/providers/all": aiProvidersOffer,
  "pi-agent-core": agentCoreOffer,
  "pi-tui": tuiOffer,
};

const inScopes = (name: string) => SCOPES.map((scope) => `${scope}/${name}`);

/**
 * Makes every package that an extension may import available in this process. Returns what modules get when they import `pintle`.
 * Virtual modules belong to the process, so only the first call has an effect.
 */
export async function provideAliases(publicExports: () => Promise<object>): Promise<Exports> {
  const { complete, stream, StringEnum, Type } = aiOffer.works;
  const own = { complete, stream, StringEnum, Type, ...(await publicExports()), defineCustomTool };
  const { works, inert } = codingAgentOffer;
  const pi = Object.freeze({ ...inert, ...works, ...own });
  const offers: Readonly<Record<string, Offer>> = { ...OFFERS, "pi-coding-agent": { works: pi } };
  const moduleOf = (name: PublishedModule) => {
    const { completeModule }: typeof import("./stand-ins.ts") = require("./stand-ins.ts");
    return completeModule(name, offers[name] ?? OFFERS[name]);
  };
  provideModules(
    names(OFFERS).map((name) => ({
      specifiers: [...(name === "pi-coding-agent" ? PINTLE_SPECIFIERS : []), ...inScopes(name)],
      load: () => moduleOf(name),
    })),
  );
  return pi;
}

function names(offers: typeof OFFERS): PublishedModule[] {
  return Object.keys(offers).filter((name): name is PublishedModule => name in offers);
}
