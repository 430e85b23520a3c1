import { h, replaceChildren } from "../../dom.ts";
import { count } from "../../format.ts";
import { childrenOf, newestLeaf } from "../../tree/conversation.ts";
import { FILTERS, type TreeFilter, treeLines } from "../../tree/tree-model.ts";
import { createTree } from "../../tree/tree-view.ts";
import type { LiveApp } from "../app.ts";
import { placeHash } from "../connection/address.ts";
import { oncePerFrame } from "../conversation/frames.ts";
import type { OpenSession } from "../state/open-session.ts";

export interface BranchTree {
  readonly element: HTMLElement;
  /** The tree is drawn only while it is visible. */
  show(isSeen: boolean): void;
  follow(session: OpenSession | undefined): void;
}

/**
 * All entries of the session. Selecting one of the open branch scrolls to it; selecting another one continues the
 * conversation from there.
 */
export function createBranchTree(app: LiveApp): BranchTree {
  const closed = new Set<number>();
  let filter: TreeFilter = "default";
  let isSeen = false;
  let session: OpenSession | undefined;
  /** The session whose earlier entries are being read. */
  let reading: OpenSession | undefined;
  const status = h("p", { class: "status", role: "status" });
  const tree = createTree({
    select,
    toggle(place) {
      if (!closed.delete(place)) closed.add(place);
      draw();
    },
  });
  const buttons = FILTERS.map(({ name, label }) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(name === filter),
        onclick: () => {
          filter = name;
          for (const [at, button] of buttons.entries())
            button.setAttribute("aria-pressed", String(FILTERS[at]?.name === name));
          draw();
        },
      },
      label,
    ),
  );
  const element = h(
    "div",
    { class: "branch-pane", hidden: true },
    h("div", { class: "filters", role: "group", "aria-label": "Entries to list" }, buttons),
    status,
    tree.element,
  );

  function draw(): void {
    if (!isSeen || readsEarlier()) return;
    const { rows = [], conversation } = session?.transcript ?? {};
    const children = childrenOf(rows);
    const onPath = conversation?.onPath ?? new Set<number>();
    const accepts = FILTERS.find(({ name }) => name === filter)?.accepts ?? (() => true);
    const lines = treeLines(children, {
      accepts: (place) => {
        const row = rows[place];
        return row !== undefined && accepts(row);
      },
      closed,
      onPath,
    });
    tree.mark(undefined, onPath);
    tree.show(lines, rows);
    const leaves = rows.filter((_, place) => !children.has(place)).length;
    const branches = leaves > 1 ? `, ${leaves.toLocaleString()} branches` : "";
    const text = `${count(lines.length, "entry", "entries")} of ${rows.length.toLocaleString()}${branches}`;
    if (status.textContent !== text) replaceChildren(status, text);
  }
  const drawSoon = oncePerFrame(draw);

  /** Loads all entries first, because the tree shows every one. */
  function readsEarlier(): boolean {
    const open = session;
    const rest = open?.transcript.first ?? 0;
    if (!open || rest === 0) return false;
    replaceChildren(status, `Reading ${count(rest, "earlier entry", "earlier entries")} …`);
    if (reading === open) return true;
    reading = open;
    tree.show([], []);
    app.act("Reading earlier entries", () =>
      open.earlier
        .readUntil(() => !isSeen)
        .finally(() => {
          reading = undefined;
        })
        .then(drawSoon),
    );
    return true;
  }

  function select(place: number): void {
    const open = session;
    const row = open?.transcript.rows[place];
    if (!open || !row) return;
    const show = () => {
      location.hash = placeHash({ session: open.id, entry: row.id });
    };
    if (open.transcript.conversation.onPath.has(place)) {
      show();
      return;
    }
    const leaf = open.transcript.rows[newestLeaf(childrenOf(open.transcript.rows), place)];
    app.act("Switching the branch", async () => {
      await open.rpc.moveLeaf(leaf?.id ?? row.id);
      app.say("Another branch is open");
      show();
    });
  }

  return {
    element,
    show(seen) {
      isSeen = seen;
      element.hidden = !seen;
      draw();
    },
    follow(next) {
      session = next;
      closed.clear();
      next?.transcript.listen({ reset: drawSoon, grown: drawSoon, earlier: drawSoon, changed: drawSoon }, next.signal);
      drawSoon();
    },
  };
}
