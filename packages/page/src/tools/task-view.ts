import { h } from "../dom.ts";
import { count, duration, money, shortNumber } from "../format.ts";
import { markdown } from "../markdown/rich-text.ts";
import { fields, list, resultDetails, resultText, string, type ToolCallView, type ToolPicture } from "./tool-parts.ts";

/** A call of `task`: a line per subagent while they work, then their results. */
export function task(view: ToolCallView): ToolPicture {
  const { progress, results, async } = resultDetails(view);
  const jobs = list(fields(async).jobIds).map((id) => ({ id, status: "in the background" }));
  const known = [...list(results).map(fields), ...jobs];
  const children = known.length > 0 ? known : list(progress).map(fields);
  const text = resultText(view);
  return {
    icon: "⑂",
    ...(children.length > 0 && { remark: count(children.length, "subagent") }),
    content: [
      h(
        "ul",
        { class: "children" },
        children.map((given) => child(given, view)),
      ),
      text !== "" && markdown(text),
    ],
    isOpen: children.some(({ status }) => status === "failed"),
  };
}

/** Reads progress and results alike; both are untrusted. */
function child(given: Readonly<Record<string, unknown>>, { linkToSubagent }: ToolCallView): HTMLElement {
  const [status, tool, args] = [given.status, given.currentTool, given.currentToolArgs].map(string);
  const amount = (name: string) => (typeof given[name] === "number" ? (given[name] as number) : 0);
  const facts = [
    amount("tokens") > 0 && `${shortNumber(amount("tokens"))} tokens`,
    amount("cost") > 0 && money(amount("cost")),
    amount("durationMs") > 0 && duration(amount("durationMs")),
  ].filter((fact) => typeof fact === "string");
  const id = string(given.id);
  const href = linkToSubagent?.(id);
  return h(
    "li",
    { class: status === "failed" ? "child bad" : "child" },
    h("strong", {}, href === undefined ? id : h("a", { href }, id)),
    " ",
    h("span", { class: "remark" }, string(given.agent)),
    " ",
    tool === "" ? status : `${tool} ${args}`,
    facts.length > 0 && h("span", { class: "remark" }, ` · ${facts.join(" · ")}`),
  );
}
