import { Type } from "@pintle/ai/type";
import type { TBoolean, TOptional } from "typebox";
import { decidedParts, verdict } from "../fields.ts";
import { ref, uncheckedList } from "../named-types.ts";
import { HOST_CAPABILITIES, type HostCapability } from "../questions.ts";
import { noParams, row } from "./row.ts";

/** Clients of the first version expect these in every response. */
type FirstCapability = "ui" | "trust" | "resolvePreviews" | "approvals" | "budgets";
const FIRST: ReadonlySet<string> = new Set<FirstCapability>(["ui", "trust", "resolvePreviews", "approvals", "budgets"]);

const declared = () =>
  Object.fromEntries(HOST_CAPABILITIES.map((name) => [name, Type.Optional(Type.Boolean())])) as Record<
    HostCapability,
    TOptional<TBoolean>
  >;

const reported = () =>
  Object.fromEntries(
    HOST_CAPABILITIES.map((name) => [name, FIRST.has(name) ? Type.Boolean() : Type.Optional(Type.Boolean())]),
  ) as { [C in HostCapability]: C extends FirstCapability ? TBoolean : TOptional<TBoolean> };

/** What the host does for the session: its tools, its answers, its decisions. */
export const hostCommands = {
  set_host_tools: row({
    summary: "Replace the tools that run in the host.",
    params: () => Type.Object({ tools: uncheckedList("RpcHostToolDefinition") }),
    result: () => Type.Object({ toolNames: Type.Array(Type.String()) }),
    lane: "ordered",
  }),
  set_host_capabilities: row({
    summary:
      "Declares what the host can answer: dialogs, trust questions, previews, approvals, budgets, logins; whether it provides files and a terminal, and with `asyncWork` that it expects runs without a prompt, so that commands may run in the background.",
    params: () =>
      Type.Object({
        ...declared(),
        toolGrace: Type.Optional(
          Type.Boolean({
            description:
              "on a gateway: host tools and their calls wait for this host (`serve.hostToolGraceMs`) if its connection is lost",
          }),
        ),
      }),
    result: () =>
      Type.Object({
        ...reported(),
        toolGrace: Type.Optional(Type.Boolean()),
      }),
    lane: "ordered",
  }),
  get_pending: row({
    summary: "Everything that waits for the host.",
    params: noParams,
    result: () => Type.Object({ pending: Type.Array(ref("PendingWait")) }),
    lane: "control",
  }),
  get_pending_actions: row({
    summary: "Previews without a decision, the newest first.",
    params: noParams,
    result: () => Type.Object({ actions: Type.Array(ref("PendingActionInfo")) }),
    lane: "control",
  }),
  resolve_pending_action: row({
    summary: "Applies or discards a preview: the newest, or the named one. The response is sent when that is done.",
    params: () =>
      Type.Object({
        actionId: Type.Optional(Type.String()),
        action: verdict(),
        reason: Type.Optional(Type.String()),
        files: Type.Optional(
          Type.Array(Type.String(), { description: "apply it only for these of its `files`; the rest is discarded" }),
        ),
        hunks: Type.Optional(
          Type.Array(Type.String(), {
            description: "apply only these hunks of its `changes`, in addition to `files`; the rest is discarded",
          }),
        ),
        edits: Type.Optional(
          Type.Array(Type.Object({ path: Type.String(), content: Type.String() }), {
            description: "apply these files with this text instead of the proposed one",
          }),
        ),
      }),
    result: () =>
      Type.Object({
        actionId: Type.String(),
        action: verdict(),
        text: Type.String(),
        isError: Type.Boolean(),
        details: Type.Optional(Type.Unknown()),
        ...decidedParts(),
      }),
    lane: "control",
    check: ({ action, files, hunks, edits }) => {
      const lists = Object.entries({ files, hunks, edits }).filter(([, list]) => list !== undefined);
      const [field] = lists.find(([, list]) => action !== "apply" || list?.length === 0) ?? [];
      if (field === undefined) return undefined;
      if (action !== "apply") return { field, mustBe: "left out when the preview is discarded" };
      return { field, mustBe: `a list of at least one ${field.slice(0, -1)}` };
    },
  }),
  get_pending_file: row({
    summary: "The text that a preview proposes for one of its files, to be edited before it is applied.",
    params: () => Type.Object({ actionId: Type.Optional(Type.String()), path: Type.String() }),
    result: () => Type.Object({ actionId: Type.String(), path: Type.String(), content: Type.String() }),
    lane: "control",
  }),
};
