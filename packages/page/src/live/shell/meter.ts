import { h, replaceChildren } from "../../dom.ts";
import { money, shortNumber } from "../../format.ts";
import type { LivePart } from "../app.ts";
import type { Figures } from "../state/session-facts.ts";

/** The share of the context above which a compaction is near. */
const HIGH = 80;

/** Shows the use of the context and the cost of the session. */
export const meter: LivePart = ({ layout, session }) => {
  const bar = h("span", { class: "meter-fill" });
  const text = h("span", {});
  const context = h("span", { class: "meter", role: "img" }, h("span", { class: "meter-track" }, bar), text);
  const cost = h("span", { class: "cost" });
  layout.status.append(context, cost);
  const show = ({ context: usage, cost: spent }: Figures) => {
    const percent = usage?.percent ?? undefined;
    context.hidden = usage === undefined;
    bar.style.width = `${Math.min(100, percent ?? 0)}%`;
    context.classList.toggle("is-high", percent !== undefined && percent >= HIGH);
    const amount = percent === undefined ? "–" : `${Math.round(percent)}%`;
    const size = usage ? shortNumber(usage.contextWindow) : "";
    replaceChildren(text, `${amount} of ${size}`);
    context.setAttribute("aria-label", `Context: ${amount} of ${size} tokens`);
    context.title = usage?.tokens == null ? "Context" : `Context: ${usage.tokens.toLocaleString()} tokens`;
    cost.title = "Cost of this session";
    replaceChildren(cost, spent > 0 && money(spent));
  };
  session.watch((open) => {
    show({ cost: 0 });
    open?.facts.figures.watch(show, open.signal);
  });
};
