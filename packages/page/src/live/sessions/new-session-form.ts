import { h, replaceChildren } from "../../dom.ts";

export interface NewSessionForm {
  readonly element: HTMLElement;
  /** Directories to choose from; the first is the default for new sessions. */
  offer(directories: readonly string[]): void;
}

/** Starts a session in a directory. The server refuses directories outside its roots. */
export function createNewSessionForm(open: (cwd: string) => void): NewSessionForm {
  const list = h("datalist", { id: "directories" });
  const field = h("input", {
    type: "text",
    id: "directory",
    list: "directories",
    autocomplete: "off",
    spellcheck: "false",
  });
  const form = h(
    "form",
    {
      class: "new-session",
      hidden: true,
      onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        show(false);
        open(field.value.trim());
      },
    },
    h("label", { for: "directory" }, "Directory"),
    field,
    list,
    h("button", { class: "main-button" }, "Open"),
  );
  const button = h(
    "button",
    { type: "button", class: "new-button", "aria-expanded": "false", onclick: () => show(form.hidden === true) },
    "New session",
  );
  const element = h("div", { class: "new-session-place" }, button, form);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || form.hidden) return;
    event.stopPropagation();
    show(false);
    button.focus();
  });
  function show(isShown: boolean): void {
    form.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
    if (isShown) field.select();
  }
  return {
    element,
    offer(directories) {
      const known = [...list.children].map((option) => option.getAttribute("value"));
      if (known.join("\n") !== directories.join("\n"))
        replaceChildren(
          list,
          directories.map((value) => h("option", { value })),
        );
      if (form.hidden && directories[0] !== undefined) field.value = directories[0];
    },
  };
}
