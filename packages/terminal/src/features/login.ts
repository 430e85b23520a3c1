import type { App, Feature } from "../app.ts";
import { askLine, choose } from "../questions/ask.ts";

/** Those that most people have a key of; any other name can be typed. */
const PROVIDERS = ["anthropic", "openai", "google", "openrouter", "groq", "mistral", "xai", "deepseek"];
const OTHER = "another";

/** Without a model nothing can be answered: the first lines say what can be done. /login stores a key. */
export const login: Feature = (app) => {
  app.commands.add({
    name: "login",
    description: "store the API key of a provider",
    hint: "[provider]",
    run: (rest) => logIn(app, rest),
  });
  app.commands.add({
    name: "logout",
    description: "forget the stored API key of a provider",
    hint: "provider",
    run: (rest) => (rest === "" ? app.say("/logout PROVIDER") : app.session?.removeApiKey(rest)),
  });
  let isFirst = true;
  app.onReady(async (session) => {
    const { model } = await session.getState();
    const isMissing = model === undefined || model.provider === "pintle";
    if (isFirst && isMissing && app.options.prompts.length === 0) app.say(ADVICE);
    isFirst = false;
  });
};

const ADVICE = [
  "No model with a key yet. /login stores the API key of a provider, or set a variable such as ANTHROPIC_API_KEY and start again.",
  "A local server (Ollama, LM Studio, llama.cpp) is found by itself while it runs; others are described in ~/.pintle/models.json.",
  'Until then the offline model answers, by fixed rules: try "help". /model chooses.',
].join("\n");

async function logIn(app: App, name: string): Promise<void> {
  const { session } = app;
  if (!session) return;
  const provider = name === "" ? await pickProvider(app) : name;
  if (provider === undefined || provider === "") return;
  const key = await askLine(app, {
    title: `API key of ${provider} (it is stored in auth.json, readable by you alone)`,
    isSecret: true,
  });
  if (key === undefined || key.trim() === "") return;
  await session.setApiKey(provider, key.trim());
  app.say(`The key of ${provider} is stored. /model chooses one of its models.`);
}

async function pickProvider(app: App): Promise<string | undefined> {
  const items = [...PROVIDERS, OTHER].map((value) => ({ value, label: value }));
  const value = await choose(app, { title: [app.theme.bold("Provider")], items, isFiltered: true });
  return value === OTHER ? askLine(app, { title: "Name of the provider" }) : value;
}
