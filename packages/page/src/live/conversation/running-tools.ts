import type { AgentToolResult } from "@pintle/client/core";
import { replaceChildren } from "../../dom.ts";
import { type EntryContext, imageElement } from "../../entries/entry-view.ts";
import type { Block, Row } from "../../page-data.ts";
import { fields } from "../../tools/tool-parts.ts";
import { toolPicture } from "../../tools/tool-views.ts";
import type { ToolRun, Transcript } from "../state/transcript.ts";
import { oncePerFrame } from "./frames.ts";
import { passed } from "./passed-time.ts";

const TICK_MS = 1000;

export interface RunningTools {
  /** The call has started, reported progress or ended. */
  touch(callId: string): void;
  /** Called when an entry was built, which may show running calls. */
  built(article: HTMLElement): void;
}

/** The cards of running calls: their output so far and their duration, drawn at most once per frame. */
export function createRunningTools(
  transcript: Transcript,
  parts: { cards: ParentNode; context(): EntryContext },
  signal: AbortSignal,
): RunningTools {
  const touched = new Set<string>();
  const draw = oncePerFrame(() => {
    for (const id of touched) drawCall(id);
    touched.clear();
  });

  function cardOf(id: string, root = parts.cards): HTMLDetailsElement | null {
    return root.querySelector<HTMLDetailsElement>(`details.tool[data-call="${CSS.escape(id)}"]`);
  }

  function drawCall(id: string): void {
    const tool = transcript.tools.get(id);
    const card = cardOf(id);
    if (!card || transcript.conversation.resultOf.has(id)) return;
    card.classList.toggle("is-running", tool !== undefined);
    showTime(card, tool);
    const state = card.querySelector(".tool-state");
    if (state) replaceChildren(state, tool ? "running" : "");
    if (tool?.partialResult) drawOutput(card, tool, tool.partialResult);
  }

  function drawOutput(card: HTMLDetailsElement, tool: ToolRun, result: AgentToolResult): void {
    const body = card.querySelector(".tool-body");
    if (!body) return;
    const row: Row = { ...NO_ROW, tool: tool.toolName, call: tool.toolCallId };
    const { content } = toolPicture({
      head: {
        id: tool.toolCallId,
        name: tool.toolName,
        summary: card.querySelector(".tool-summary")?.textContent ?? "",
      },
      args: fields(tool.args),
      result: { row, body: { blocks: result.content.flatMap(textOnly), details: result.details } },
      image: (block) => imageElement(block, parts.context()),
    });
    replaceChildren(body, content);
    if (card.dataset.seen === undefined) card.open = true;
    card.dataset.seen = "";
  }

  const timer = setInterval(() => {
    for (const [id, tool] of transcript.tools) {
      const card = cardOf(id);
      if (card) showTime(card, tool);
    }
  }, TICK_MS);
  signal.addEventListener("abort", () => clearInterval(timer));

  return {
    touch(id) {
      touched.add(id);
      draw();
    },
    built(article) {
      for (const id of transcript.tools.keys()) {
        if (!cardOf(id, article)) continue;
        touched.add(id);
        draw();
      }
    },
  };
}

const NO_ROW: Row = { id: "", parent: -1, kind: "tool", title: "", at: 0, size: 0 };

/** Images arrive with the result. */
function textOnly(block: AgentToolResult["content"][number]): Block[] {
  return block.type === "text" ? [{ type: "text", text: block.text }] : [];
}

function showTime(card: HTMLElement, tool: ToolRun | undefined): void {
  const text = tool ? passed(tool.startedAt) : "";
  const place = card.querySelector(".tool-time");
  if (place) replaceChildren(place, text);
}
