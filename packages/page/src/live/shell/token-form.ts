import { h, replaceChildren } from "../../dom.ts";
import { keepToken, readPlace } from "../connection/address.ts";

/** Asks for the token that `pintle serve` printed, and restarts the page with it. */
export function askForToken(place: HTMLElement, problem: string): void {
  const field = h("input", {
    type: "password",
    id: "token",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "token-problem",
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = field.value.trim();
    keepToken(readPlace(new URL(text, location.origin).hash).token ?? text);
    location.reload();
  };
  replaceChildren(
    place,
    h(
      "form",
      { class: "token-form", onsubmit: submit },
      h("h2", {}, "Which server?"),
      h("p", { id: "token-problem" }, problem),
      h("label", { for: "token" }, "Token, or the address that pintle printed"),
      field,
      h("button", { class: "main-button" }, "Connect"),
    ),
  );
  field.focus();
}
