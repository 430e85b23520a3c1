import { copyButton } from "../copy/copy-button.ts";
import { h } from "../dom.ts";
import { duration } from "../format.ts";
import type { Block, ToolBody } from "../page-data.ts";
import { fields } from "../tools/tool-parts.ts";
import { toolPicture } from "../tools/tool-views.ts";
import { type EntryContext, imageElement, permalink } from "./entry-view.ts";

interface CardParts {
  /** Row of the result; undefined while there is none. */
  place: number | undefined;
  context: EntryContext;
  call?: Extract<Block, { type: "call" }>;
  summary: string;
  /** Set if it is already known. */
  result?: ToolBody;
}

/** A call with its result, or a result whose call is not known. */
export function toolCard({ place, context, call, summary, result }: CardParts): HTMLElement {
  const { source, conversation } = context;
  const row = place === undefined ? undefined : source.rows[place];
  const body = place === undefined ? undefined : (result ?? source.body(place, "tool"));
  const name = call?.name ?? row?.tool ?? "tool";
  const head = { id: call?.id ?? "", name, summary };
  const decision = call && conversation.decisionOf.get(call.id);
  const { icon, remark, content, isOpen } = toolPicture({
    head,
    args: fields(call?.args),
    ...(call?.problem !== undefined && { problem: call.problem }),
    ...(row && body && { result: { row, body } }),
    ...(decision && { decision }),
    image: (block) => imageElement(block, context),
    ...(context.linkToSubagent && { linkToSubagent: context.linkToSubagent }),
  });
  const state =
    call?.problem !== undefined || row?.state === "error"
      ? "error"
      : row?.state === "aborted"
        ? "aborted"
        : row
          ? "done"
          : "open";
  const command = /^(?:bash|shell|exec|sh|terminal|run_command)$/i.test(name) && fields(call?.args).command;
  return h(
    "details",
    {
      class: `tool is-${state}`,
      open: context.folds.isOpen("tool", isOpen),
      "data-row": place,
      "data-call": call?.id,
    },
    h(
      "summary",
      {},
      h("span", { class: "icon", "aria-hidden": "true" }, icon),
      h("span", { class: "tool-name" }, name),
      h("span", { class: "tool-summary" }, head.summary),
      h("span", { class: "tool-remark" }, remark),
      h("span", { class: "tool-state" }, (state === "open" && context.unanswered?.(head.id)) || STATES[state]),
      h("span", { class: "tool-time" }, row?.ms !== undefined && duration(row.ms)),
    ),
    h(
      "div",
      { class: "tool-body" },
      // Not in the line above, which is itself a control.
      row &&
        h(
          "div",
          { class: "tool-link" },
          typeof command === "string" && copyButton("command", () => command),
          permalink(row, context, "Link to this result"),
        ),
      call?.problem !== undefined && h("p", { class: "remark bad" }, call.problem),
      content,
    ),
  );
}

const STATES = { error: "failed", aborted: "stopped", done: "", open: "no result" };
