import type { RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { askLine, pick } from "../questions/ask.ts";

/** The value of the row below the known providers. No provider has this id. */
const OTHER = "";
/** The provider of the offline model. */
const OFFLINE = "pintle";

/** Implements /login, which stores a provider's key. If there is no model, shows what to do at the start. */
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
  let isReady = false;
  const held: string[] = [];
  app.onSession((session) =>
    session.on("notice", ({ message, level, source }) => {
      if (source !== "model") return;
      if (isReady) app.say(message, level);
      else held.push(message);
    }),
  );
  app.onReady(async (session) => {
    const { model } = await session.getState({ brief: true });
    const isMissing = model === undefined || model.provider === OFFLINE;
    // The session reports the same in a notice, for hosts without advice of their own.
    if (isMissing) {
      if (!isReady && (await hasOnlyOffline(session))) app.say(ADVICE);
    } else for (const message of held) app.say(message, "warning");
    held.length = 0;
    isReady = true;
  });
};

/** A user who has other models and chose the offline one needs no advice. */
async function hasOnlyOffline(session: RpcCore): Promise<boolean> {
  const { models } = await session.getAvailableModels();
  return models.every(({ provider }) => provider === OFFLINE);
}

const ADVICE = [
  "No key yet: /login stores one, or set a variable such as ANTHROPIC_API_KEY.",
  "pintle finds a running local server (Ollama, LM Studio, llama.cpp); /model chooses a model.",
  'Until then, the offline model answers by fixed rules: try "help".',
].join("\n");

async function logIn(app: App, name: string): Promise<void> {
  const { session } = app;
  if (!session) return;
  const provider = name === "" ? await pickProvider(app) : name;
  if (provider === undefined || provider === "") return;
  const key = await askLine(app, {
    title: `API key of ${provider} (it is stored in auth.json, readable by you alone)`,
    isSecret: true,
    isOpenedByUser: true,
  });
  if (key === undefined || key.trim() === "") return;
  await session.setApiKey(provider, key.trim());
  app.say(`The ${provider} key is stored. Choose one of its models with /model.`);
}

async function pickProvider(app: App): Promise<string | undefined> {
  const known = app.options.providers.map(({ id, name }) => ({ value: id, label: name, description: id }));
  const other = { value: OTHER, label: "Another provider", description: "type its name" };
  const value = await pick(app, { title: [app.theme.bold("Provider")], items: [...known, other] });
  return value === OTHER ? askLine(app, { title: "Name of the provider", isOpenedByUser: true }) : value;
}
