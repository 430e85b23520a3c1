import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import type { Frame } from "../frame.ts";
import { type Call, calls, says } from "../model-server.ts";
import type { Trial } from "../trial.ts";

const SCHEMES = [{ scheme: "notes", writable: true }, { scheme: "archive" }];
const isRequest = ({ type }: Frame) => type === "host_uri_request";
const isEnd = ({ type }: Frame) => type === "agent_end";

/** Starts a run in which the model makes one call, after the host declared its schemes. */
async function calling(trial: Trial, call: Call): Promise<{ agent: AgentProcess; from: number }> {
  trial.model.put(calls(call), says("done"));
  const agent = await trial.startAsOmp();
  same((await agent.call("set_host_uri_schemes", { schemes: SCHEMES })).schemes, ["notes", "archive"], "schemes");
  const from = agent.mark();
  await agent.call("prompt", { message: "go" });
  return { agent, from };
}

export const hostUriChecks = group("host URIs", "dialects", [
  [
    "read",
    "`read` of a declared scheme asks the host, and its content reaches the model.",
    async (trial) => {
      const { agent, from } = await calling(trial, { name: "read", args: { path: "archive://2025" } });
      const { id, operation, url } = await agent.until("host_uri_request", isRequest, from);
      same([operation, url], ["read", "archive://2025"], "operation and url");
      agent.send({ type: "host_uri_result", id, content: "an old page", contentType: "text/plain" });
      await agent.until("agent_end", isEnd, from);
      const sent = JSON.stringify(trial.model.requests[1]?.messages.at(-1));
      require(sent.includes("an old page"), `the model got ${sent}`);
    },
    "host_uris",
  ],
  [
    "write",
    "`write` to a writable scheme sends the content to the host.",
    async (trial) => {
      const args = { path: "notes://today", content: "buy milk" };
      const { agent, from } = await calling(trial, { name: "write", args });
      const { id, operation, url, content } = await agent.until("host_uri_request", isRequest, from);
      same([operation, url, content], ["write", "notes://today", "buy milk"], "operation, url and content");
      agent.send({ type: "host_uri_result", id });
      const end = await agent.until("tool_execution_end", ({ type }) => type === "tool_execution_end", from);
      same(end.isError, false, "isError");
    },
    "host_uris",
  ],
  [
    "read-only",
    "`write` to a scheme that is not `writable` is an error result, and the host is not asked.",
    async (trial) => {
      const { agent, from } = await calling(trial, { name: "write", args: { path: "archive://2025", content: "x" } });
      const isEither = (frame: Frame) => isRequest(frame) || frame.type === "tool_execution_end";
      const { type, isError } = await agent.until("tool_execution_end", isEither, from);
      same([type, isError], ["tool_execution_end", true], "frame and isError");
    },
    "host_uris",
  ],
  [
    "cancelled with the run",
    "An abort sends `host_uri_cancel` with the id of the request to the host.",
    async (trial) => {
      const { agent, from } = await calling(trial, { name: "read", args: { path: "archive://2025" } });
      const { id } = await agent.until("host_uri_request", isRequest, from);
      await agent.call("abort");
      const cancel = await agent.until("host_uri_cancel", ({ type }) => type === "host_uri_cancel", from);
      same(cancel.targetId, id, "targetId");
    },
    "host_uris",
  ],
]);
