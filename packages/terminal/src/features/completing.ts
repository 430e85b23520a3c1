import type { AvailableCommand, RpcCore } from "@pintle/client";
import type { Feature } from "../app.ts";
import { Completion } from "../editor/completion.ts";
import { completedImage } from "../images/completed-image.ts";

/** Completes files and slash commands of the session in the editor. */
export const completing: Feature = (app) => {
  let commands: readonly AvailableCommand[] = [];
  const { commands: local } = app;
  app.editor.completionSource = new Completion({
    local,
    session: () => app.session,
    commands: () => commands,
    image: (path) => completedImage(path, app),
  });
  app.onSession((session) =>
    session.on("available_commands_update", (event) => {
      commands = event.commands;
      local.useSessionCommands(commands);
    }),
  );
  const list = async (session: RpcCore, whenLoaded: boolean) => {
    try {
      ({ commands } = await session.getAvailableCommands({ whenLoaded }));
    } finally {
      local.useSessionCommands(commands); // what waits for the list must not wait forever
    }
  };
  app.onSession((session) =>
    session.on("trust_resolved", ({ trusted }) => {
      if (!trusted) return;
      local.useSessionCommands(undefined);
      list(session, true).catch((error) => app.report(error));
    }),
  );
  app.onReady((session) => list(session, false));
};
