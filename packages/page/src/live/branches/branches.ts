import { h, svg } from "../../dom.ts";
import type { Row } from "../../page-data.ts";
import type { LiveApp, LivePart } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";
import { createBranchTree } from "./branch-tree.ts";

/** Rows from which a conversation can continue. */
const BEGINNINGS: ReadonlySet<Row["kind"]> = new Set(["user", "assistant", "note", "shell", "compaction", "branch"]);

/** The session's tree next to the list of sessions, and in each entry a control to continue from it. */
export const branches: LivePart = (app) => {
  const { layout } = app;
  const tree = createBranchTree(app);
  const sessions = layout.sidebar.querySelector(".sessions-pane");
  const tabs = [
    {
      label: "Sessions",
      show: (isShown: boolean) => sessions?.toggleAttribute("hidden", !isShown),
    },
    { label: "Tree", show: (isShown: boolean) => tree.show(isShown) },
  ];
  const buttons = tabs.map(({ label }, at) =>
    h("button", { type: "button", "aria-pressed": String(at === 0), onclick: () => choose(at) }, label),
  );
  function choose(chosen: number): void {
    for (const [at, { show }] of tabs.entries()) {
      show(at === chosen);
      buttons[at]?.setAttribute("aria-pressed", String(at === chosen));
    }
  }
  layout.sidebar.prepend(h("div", { class: "side-tabs", role: "group", "aria-label": "What is listed" }, buttons));
  layout.sidebar.append(tree.element);
  app.session.watch((opened) => tree.follow(opened));
  app.entryActions.push((row, session) => BEGINNINGS.has(row.kind) && branchButton(app, row, session));
};

function branchSign(): SVGElement {
  const path = "M4 5v6M4 9.5c4 0 6-1.5 6-4.5";
  return svg(
    "svg",
    { viewBox: "0 0 14 16", width: 14, height: 16, "aria-hidden": "true", fill: "none", stroke: "currentColor" },
    svg("path", { d: path, "stroke-width": 1.3, "stroke-linecap": "round" }),
    [
      [4, 3.5],
      [4, 12.5],
      [10, 3.5],
    ].map(([cx, cy]) => svg("circle", { cx, cy, r: 1.6, fill: "currentColor", stroke: "none" })),
  );
}

/** A user message is returned for editing; after any other entry, the next message continues. */
function branchButton(app: LiveApp, { id, kind }: Row, { rpc }: OpenSession): HTMLElement {
  const label = kind === "user" ? "Edit and send again, on a new branch" : "Continue from here, on a new branch";
  const act = () =>
    app.act("Going back", async () => {
      const { cancelled, text } = await rpc.moveLeaf(id);
      if (cancelled) return app.say("An extension prevented the change");
      const field = app.layout.composer.querySelector("textarea");
      if (field && text !== undefined) {
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
      field?.focus();
      app.say("The next message starts another branch");
    });
  return h(
    "button",
    { type: "button", class: "entry-action", "aria-label": label, title: label, onclick: act },
    branchSign(),
  );
}
