import { h } from "../dom.ts";
import { fields, list, string } from "./tool-parts.ts";

type Fields = Readonly<Record<string, unknown>>;

const MARKS: Record<string, readonly [mark: string, word: string]> = {
  pending: ["○", "open"],
  in_progress: ["◐", "in progress"],
  completed: ["●", "done"],
  abandoned: ["⊘", "abandoned"],
};

/** The list after the call. Returns undefined if there is none. */
export function todoContent(details: Fields, args: Fields): HTMLElement | undefined {
  const phases = list(details.phases).map(fields);
  if (phases.length > 0) {
    return h(
      "div",
      { class: "todos" },
      phases.map((phase) => [h("div", { class: "part" }, string(phase.name)), tasks(list(phase.tasks).map(fields))]),
    );
  }
  const flat = [details.todos, details.items, args.todos, args.items]
    .map(list)
    .find((candidate) => candidate.length > 0);
  return flat && h("div", { class: "todos" }, tasks(flat.map(fields)));
}

function tasks(items: readonly Fields[]): HTMLElement {
  return h(
    "ul",
    {},
    items.map((task) => {
      const status = string(task.status) || (task.done === true ? "completed" : "pending");
      const [mark, word] = MARKS[status] ?? ["○", status];
      return h(
        "li",
        { class: `todo ${MARKS[status] ? status : "pending"}` },
        h("span", { class: "mark", role: "img", "aria-label": word }, mark),
        h(
          "span",
          {},
          string(task.content) || string(task.text) || string(task.title),
          string(task.notes) !== "" && h("small", {}, ` ${string(task.notes)}`),
        ),
      );
    }),
  );
}
