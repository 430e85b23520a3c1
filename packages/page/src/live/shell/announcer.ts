import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";

/** Says that an answer is there to those who hear the page: once, at its end. How a run failed is told where it is shown. */
export const announcer: LivePart = ({ session }) => {
  const spoken = h("div", { class: "unseen", role: "status" });
  document.body.append(spoken);
  session.watch((opened) => {
    replaceChildren(spoken);
    opened?.on("agent_start", () => replaceChildren(spoken));
    opened?.on("agent_end", ({ stopReason }) => {
      if (stopReason === "stop") replaceChildren(spoken, "The answer is complete");
    });
  });
};
