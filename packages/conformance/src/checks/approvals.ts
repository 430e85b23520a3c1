import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import type { Frame } from "../frame.ts";
import { calls, says } from "../model-server.ts";
import type { Trial } from "../trial.ts";

const FILE = "asked.txt";
const CALL = { name: "write", args: { path: FILE, content: "x\n" }, id: "call_a" };
const AGAIN = { ...CALL, id: "call_b" };

const isRequest = ({ type }: Frame) => type === "approval_request";
const isResolved = ({ type }: Frame) => type === "approval_resolved";
const isEnd = ({ type }: Frame) => type === "agent_end";

const isWritten = ({ cwd }: Trial) => existsSync(join(cwd, FILE));

/** A run whose model wants to write a file, with a preset that asks about every change. */
async function begun(trial: Trial, canAnswer: boolean, ...wanted: (typeof CALL)[]) {
  trial.model.put(...wanted.map((call) => calls(call)), says("done"));
  const agent = await trial.start();
  await agent.call("set_permission_mode", { mode: "ask" });
  if (canAnswer) await agent.call("set_host_capabilities", { approvals: true });
  const from = agent.mark();
  await agent.call("prompt", { message: "go" });
  return { agent, from };
}

async function asked(trial: Trial, ...wanted: (typeof CALL)[]) {
  const { agent, from } = await begun(trial, true, ...wanted);
  return { agent, from, request: await agent.until("approval_request", isRequest, from) };
}

const answer = (agent: AgentProcess, { id }: Frame, decision: string, more: object = {}) =>
  agent.send({ type: "approval_response", id, decision, ...more });

export const approvalChecks = group("approvals", "approvals", [
  [
    "asked",
    "A call that the preset does not decide is a question with the call's id and title; nothing runs before the answer.",
    async (trial) => {
      const { agent, from, request } = await asked(trial, CALL);
      same(
        [request.request?.toolCallId, request.request?.tool, request.default],
        ["call_a", "write", "deny"],
        "request",
      );
      require(typeof request.request.title === "string" &&
        request.expiresAt > Date.now() - 60_000, "title or expiresAt");
      await agent.call("get_state");
      require(!isWritten(trial), "the call ran before it was answered");
      answer(agent, request, "deny");
      await agent.until("agent_end", isEnd, from);
    },
    "approvals",
  ],
  [
    "allowed once",
    "`allow_once` lets this call run, and the next one asks again.",
    async (trial) => {
      const { agent, from, request } = await asked(trial, CALL, AGAIN);
      answer(agent, request, "allow_once");
      const resolved = await agent.until("approval_resolved", isResolved, from);
      same(
        [resolved.toolCallId, resolved.decision, resolved.by],
        ["call_a", "allow_once", "host"],
        "approval_resolved",
      );
      const next = await agent.until("the second question", isRequest, agent.frames.indexOf(resolved));
      require(isWritten(trial), "the allowed call did not run");
      answer(agent, next, "deny");
      await agent.until("agent_end", isEnd, from);
    },
    "approvals",
  ],
  [
    "allowed for the session",
    "`allow_session` lets calls of this kind run without another question.",
    async (trial) => {
      const { agent, from, request } = await asked(trial, CALL, AGAIN);
      answer(agent, request, "allow_session");
      await agent.until("agent_end", isEnd, from);
      same(agent.frames.filter(isRequest).length, 1, "questions");
      require(isWritten(trial), "the allowed call did not run");
    },
    "approvals",
  ],
  [
    "denied",
    "`deny` is an error result with the host's note for the model; the run continues.",
    async (trial) => {
      const { agent, from, request } = await asked(trial, CALL);
      answer(agent, request, "deny", { note: "not on a Friday" });
      const end = await agent.until("tool_execution_end", ({ type }) => type === "tool_execution_end", from);
      same(end.isError, true, "isError");
      await agent.until("agent_end", isEnd, from);
      require(!isWritten(trial), "the denied call ran");
      const observed = JSON.stringify(trial.model.requests[1]?.messages.at(-1));
      require(observed.includes("not on a Friday"), `the model got ${observed}`);
    },
    "approvals",
  ],
  [
    "denied for good",
    "`deny_and_stop` ends the run; the model is not asked again.",
    async (trial) => {
      const { agent, from, request } = await asked(trial, CALL);
      answer(agent, request, "deny_and_stop");
      const end = await agent.until("agent_end", isEnd, from);
      same([end.stopReason, end.endedBy, trial.model.requests.length], ["aborted", "denied", 1], "the end");
      require(!isWritten(trial), "the denied call ran");
    },
    "approvals",
  ],
  [
    "taken back",
    "An abort withdraws the question with `approval_cancel`; a late answer has no effect.",
    async (trial) => {
      const { agent, from, request } = await asked(trial, CALL);
      await agent.call("abort");
      const cancel = await agent.until("approval_cancel", ({ type }) => type === "approval_cancel", from);
      same(cancel.targetId, request.id, "targetId");
      answer(agent, request, "allow_once");
      await agent.call("get_state");
      require(!isWritten(trial), "a late answer let the call run");
    },
    "approvals",
  ],
  [
    "without a host that answers",
    "A host that did not declare approvals is not asked, and the call is denied.",
    async (trial) => {
      const { agent, from } = await begun(trial, false, CALL);
      await agent.until("agent_end", isEnd, from);
      same(agent.frames.filter(isRequest), [], "questions");
      require(!isWritten(trial), "the call ran without a question");
    },
    "approvals",
  ],
]);
