import { h } from "../dom.ts";
import { count, duration, money, shortNumber } from "../format.ts";
import { markdown } from "../markdown/rich-text.ts";
import { fields, list, resultDetails, resultText, string, type ToolCallView, type ToolPicture } from "./tool-parts.ts";

/** A call of `task`: a line per subagent while they work, then their results. */
export function task(view: ToolCallView): ToolPicture {
  const { progress, results } = resultDetails(view);
  const ended = list(results).map(fields);
  const children = ended.length > 0 ? ended : list(progress).map(fields);
  const text = resultText(view);
  return {
    icon: "⑂",
    ...(children.length > 0 && { remark: count(children.length, "subagent") }),
    content: [h("ul", { class: "children" }, children.map(child)), text !== "" && markdown(text)],
    isOpen: children.some(({ status }) => status === "failed"),
  };
}

/** Reads progress and results alike; both are untrusted. */
function child(given: Readonly<Record<string, unknown>>): HTMLElement {
  const [status, tool, args] = [given.status, given.currentTool, given.currentToolArgs].map(string);
  const amount = (name: string) => (typeof given[name] === "number" ? (given[name] as number) : 0);
  const facts = [
    amount("tokens") > 0 && `${shortNumber(amount("tokens"))} tokens`,
    amount("cost") > 0 && money(amount("cost")),
    amount("durationMs") > 0 && duration(amount("durationMs")),
  ].filter((fact) => typeof fact === "string");
  return h(
    "li",
    { class: status === "failed" ? "child bad" : "child" },
    h("strong", {}, string(given.id)),
    " ",
    h("span", { class: "remark" }, string(given.agent)),
    " ",
    tool === "" ? status : `${tool} ${args}`,
    facts.length > 0 && h("span", { class: "remark" }, ` · ${facts.join(" · ")}`),
  );
}
