import type { TodoPhase } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import { todoContent } from "../../tools/todo-view.ts";
import type { OpenSession } from "../state/open-session.ts";

/** Shows the progress and the current task, and the whole list on request. */
export function todoPanel({ facts, signal }: OpenSession): HTMLElement {
  const line = h("summary", {});
  const content = h("div", { class: "todo-list" });
  const element = h("details", { class: "todo-panel" }, line, content);
  const show = (phases: readonly TodoPhase[]) => {
    const tasks = phases.flatMap((phase) => phase.tasks);
    const done = tasks.filter(({ status }) => status === "completed" || status === "abandoned").length;
    const current =
      tasks.find(({ status }) => status === "in_progress") ?? tasks.find(({ status }) => status === "pending");
    element.hidden = tasks.length === 0 || done === tasks.length;
    replaceChildren(
      line,
      h("span", { class: "todo-count" }, `${done}/${tasks.length}`),
      h("span", { class: "todo-current" }, current?.content ?? "All done"),
    );
    replaceChildren(content, todoContent({ phases }, {}));
  };
  facts.todos.watch(show, signal);
  return element;
}
