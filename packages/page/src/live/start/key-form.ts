import { h } from "../../dom.ts";
import type { LiveApp } from "../app.ts";

/** The providers for which most people have a key; any other name can be typed. */
const PROVIDERS = ["anthropic", "openai", "google", "openrouter", "groq", "mistral", "xai", "deepseek"];

/** Returns true if the page comes from this machine: a form must not send a key over a network. */
export function isLoopbackPage({ hostname }: Pick<Location, "hostname"> = location): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Stores an API key on this machine, as /login does in the terminal. `stored` is called afterwards. */
export function keyForm(app: LiveApp, stored: () => void): HTMLElement {
  const provider = h("input", {
    type: "text",
    id: "key-provider",
    list: "key-providers",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
  });
  const key = h("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false", required: true });
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const [name, secret] = [provider.value.trim(), key.value.trim()];
    key.value = "";
    app.act("Storing the key", async () => {
      const session = app.session.value ?? (await app.openSession({}));
      if (!session) return;
      await session.rpc.setApiKey(name, secret);
      app.say(`The ${name} key is stored. Choose one of its models.`);
      stored();
    });
  };
  return h(
    "form",
    { class: "key-form", onsubmit },
    h("label", { for: "key-provider" }, "Provider"),
    provider,
    h(
      "datalist",
      { id: "key-providers" },
      PROVIDERS.map((value) => h("option", { value })),
    ),
    h("label", { for: "key" }, "API key"),
    key,
    h("button", { class: "small-button" }, "Store the key"),
  );
}
