import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import type { Frame } from "../frame.ts";
import type { Trial } from "../trial.ts";

/** The command that the project's untrusted code adds. It is listed only if the code was loaded. */
const COMMAND = "check-loaded";
const EXTENSION = `export default function (pi) {
  pi.registerCommand("${COMMAND}", { description: "loaded", handler: async () => {} });
}
`;

const isRequest = ({ type }: Frame) => type === "trust_request";
const isResolved = ({ type }: Frame) => type === "trust_resolved";

async function isLoaded(agent: AgentProcess): Promise<boolean> {
  const { commands } = await agent.call("get_available_commands");
  return (commands ?? []).some(({ name }: Frame) => String(name).replace(/^\//, "") === COMMAND);
}

/** Runs in a project that contains code, with a host that answers. */
async function asked(trial: Trial): Promise<{ agent: AgentProcess; request: Frame; from: number }> {
  trial.projectExtension(EXTENSION);
  const agent = await trial.start();
  const from = agent.mark();
  await agent.call("set_host_capabilities", { trust: true });
  return { agent, from, request: await agent.until("trust_request", isRequest, from) };
}

async function answered(trial: Trial, fields: object): Promise<{ agent: AgentProcess; resolved: Frame }> {
  const { agent, request, from } = await asked(trial);
  agent.send({ type: "trust_response", id: request.id, ...fields });
  const resolved = await agent.until("trust_resolved", isResolved, from);
  same(resolved.id, request.id, "the id of trust_resolved");
  return { agent, resolved };
}

export const trustChecks = group("trust", "trust", [
  [
    "asked",
    "The agent asks before it runs project code, with items and digests; none of it runs before the answer.",
    async (trial) => {
      const { agent, request } = await asked(trial);
      const [item] = request.items ?? [];
      same([request.items?.length, item?.kind], [1, "extension"], "items");
      require([request.digest, item.digest].every((digest) => typeof digest === "string" && digest !== ""), "digests");
      same(await isLoaded(agent), false, "loaded before the answer");
    },
    "trust",
  ],
  [
    "yes",
    "After `trusted: true` the code is loaded.",
    async (trial) => {
      const { agent, resolved } = await answered(trial, { trusted: true });
      same([resolved.trusted, resolved.by], [true, "host"], "trust_resolved");
      const isThere = ({ type, commands }: Frame) =>
        type === "available_commands_update" && JSON.stringify(commands).includes(COMMAND);
      if (!(await isLoaded(agent))) await agent.until("its command", isThere, 0);
      same(await isLoaded(agent), true, "loaded");
    },
    "trust",
  ],
  [
    "no",
    "After `trusted: false` the code is not loaded, and the session works without it.",
    async (trial) => {
      const { agent, resolved } = await answered(trial, { trusted: false });
      same([resolved.trusted, resolved.by], [false, "host"], "trust_resolved");
      same(await isLoaded(agent), false, "loaded");
    },
    "trust",
  ],
  [
    "only an explicit yes",
    "An answer without `trusted: true` is a no.",
    async (trial) => {
      const { agent, resolved } = await answered(trial, { trusted: "yes" });
      same(resolved.trusted, false, "trusted");
      same(await isLoaded(agent), false, "loaded");
    },
    "trust",
  ],
  [
    "without a host that answers",
    "A host that did not declare trust questions is not asked, and nothing is loaded.",
    async (trial) => {
      trial.projectExtension(EXTENSION);
      const agent = await trial.start();
      same(await isLoaded(agent), false, "loaded");
      same(agent.frames.filter(isRequest), [], "questions");
    },
    "trust",
  ],
]);
