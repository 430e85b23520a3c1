import type { TrustAnswer, TrustRequest } from "@pintle/client/core";
import { h } from "../../dom.ts";
import { count } from "../../format.ts";
import { exactly } from "../../visible-text.ts";
import type { OpenQuestion, QuestionKind } from "./question.ts";
import { answerButton, type QuestionView } from "./question-parts.ts";

const KINDS: Readonly<Record<string, string>> = {
  extension: "extension",
  custom_tool: "tool",
  hook: "hook",
  agent: "agent",
  mcp_server: "MCP server",
  command: "command",
  setting: "setting",
};

export const trustKind: QuestionKind<TrustRequest, TrustAnswer> = {
  method: "onTrustRequest",
  name: "Trust",
  title: ({ project }) => `Trust ${project}?`,
  deadline: ({ timeout }, now) => now + timeout,
  byDefault: "not trusted",
  view: trustView,
};

/** Asks about project code: consent applies to exactly this content. */
function trustView({ asked, answer }: OpenQuestion<"trust">): QuestionView {
  const { project, items } = exactly(asked);
  const remember = h("input", { type: "checkbox" });
  const decide = (trusted: boolean) => answer({ trusted, remember: remember.checked });
  const refuse = answerButton("Do not trust", () => decide(false), "danger");
  return {
    first: refuse,
    content: [
      h(
        "p",
        {},
        h("code", {}, project),
        ` contains ${count(items.length, "part")} that run with your rights. Inspect them before you agree.`,
      ),
      h(
        "ul",
        { class: "trust-items" },
        items.map(({ kind, name, path }) =>
          h("li", {}, `${KINDS[kind] ?? kind} `, h("strong", {}, name), " ", h("code", {}, path)),
        ),
      ),
      h("label", { class: "remember" }, remember, "Remember for this content"),
    ],
    controls: [refuse, answerButton("Trust", () => decide(true), "main")],
  };
}
