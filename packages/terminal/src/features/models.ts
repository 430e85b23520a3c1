import type { App, Feature } from "../app.ts";
import { pick } from "../questions/ask.ts";
import { shownText } from "../text/shown-text.ts";

/** Implements ctrl+p and /model, which choose the model for the next turn. */
export const models: Feature = (app) => {
  app.keys.on("pickModel", () => {
    pickModel(app, "").catch((error) => app.report(error));
  });
  app.commands.add({
    name: "model",
    description: "choose a model",
    hint: "[name]",
    run: (rest) => pickModel(app, rest),
  });
};

/** Shows no list if the name matches exactly one model. */
async function pickModel(app: App, name: string): Promise<void> {
  const { session } = app;
  if (!session) return;
  const { models: all } = await session.getAvailableModels();
  const named = all.filter(({ id, provider }) => name !== "" && (id === name || `${provider}/${id}` === name));
  const items = all.map(({ id, provider, name: title }) => ({
    value: JSON.stringify([provider, id]),
    label: shownText(`${provider}/${id}`),
    ...(title !== id && { description: shownText(title) }),
  }));
  if (items.length === 0) return app.say("There is no model. /login stores a key; see docs/models.md.", "warning");
  const value =
    named.length === 1
      ? JSON.stringify([named[0]!.provider, named[0]!.id])
      : await pick(app, { title: [app.theme.bold("Model")], items });
  const model = all.find(({ provider, id }) => JSON.stringify([provider, id]) === value);
  if (model) await session.setModel(model.provider, model.id);
}
