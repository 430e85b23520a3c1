import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";

/** Announces a finished answer to screen readers: once, at its end. Failed runs are announced where they are shown. */
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
