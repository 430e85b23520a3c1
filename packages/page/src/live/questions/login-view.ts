import type { LoginAnswer, McpAuthRequest } from "@pintle/client/core";
import { type Child, h } from "../../dom.ts";
import type { OpenQuestion, QuestionKind } from "./question.ts";
import { answerButton, factList, type QuestionView } from "./question-parts.ts";

export const loginKind: QuestionKind<McpAuthRequest, LoginAnswer> = {
  method: "onMcpAuth",
  name: "Login",
  title: ({ server }) => `Log in at ${server}`,
  deadline: ({ expiresAt }) => expiresAt,
  byDefault: "the server is not used",
  view: loginView,
};

/**
 * A login at an MCP server. The browser is redirected to the machine that pintle runs on; if that is another machine,
 * nothing answers there, and the user pastes the URL here.
 */
function loginView({ asked, answer }: OpenQuestion<"login">): QuestionView {
  const field = h("input", {
    type: "url",
    id: "redirect-address",
    placeholder: "http://127.0.0.1:…/callback?code=…",
    autocomplete: "off",
    spellcheck: "false",
  });
  const leave = answerButton("Do not log in", () => answer(undefined));
  return {
    first: leave,
    content: [
      factList([
        ["MCP server", asked.server],
        ["page", placeOf(asked.url)],
      ]),
      h(
        "p",
        {},
        "After the login, the browser is redirected to the machine that pintle runs on, and this question closes. If that page does not load, copy its address from the browser into the field.",
      ),
    ],
    controls: [
      leave,
      loginLink(asked.url),
      h("label", { for: "redirect-address" }, "The address of the page that did not load"),
      field,
      h("button", { type: "submit", class: "answer-button" }, "Send the address"),
    ],
    submit() {
      const address = field.value.trim();
      field.setCustomValidity(webAddress(address) ? "" : "The whole URL, including everything after the ?");
      if (field.reportValidity()) answer(address);
    },
  };
}

/** Only addresses that a browser opens as a page, because the server supplied the address. */
function loginLink(url: string): Child {
  if (!webAddress(url))
    return h("p", { class: "remark bad" }, "The login address is not a web address: ", h("code", {}, url));
  return h(
    "a",
    { class: "answer-button main login-link", href: url, target: "_blank", rel: "noopener noreferrer" },
    "Open the login",
  );
}

function placeOf(url: string): string {
  return webAddress(url)?.host ?? url;
}

function webAddress(text: string): URL | undefined {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  return address && /^https?:$/.test(address.protocol) ? address : undefined;
}
