import type { Feature } from "../app.ts";

/** What happens in the session, in the feed. */
export const conversation: Feature = (app) => {
  app.onSession((session) => {
    session.on("message_end", ({ message }) => {
      if (message.role === "user") app.say(`> ${typeof message.content === "string" ? message.content : ""}`);
      if (message.role === "assistant")
        app.say(message.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    });
  });
};
