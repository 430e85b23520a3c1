// Names a session after its first prompt, so that a list of sessions is readable. `/name WORDS` chooses another name.
//   pintle --extension examples/extensions/session-name.ts -p 'what files are here'
import type { ExtensionFactory } from "pintle";

const MAX_LENGTH = 60;

const extension: ExtensionFactory = (pi) => {
  pi.on("before_agent_start", ({ prompt }) => {
    if (pi.getSessionName() !== undefined) return;
    const [line = ""] = prompt.trim().split("\n");
    const name = line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1).trimEnd()}…` : line;
    if (name !== "") pi.setSessionName(name);
  });

  pi.registerCommand("name", {
    description: "Name this session: /name WORDS",
    handler(words, ctx) {
      if (words.trim() !== "") pi.setSessionName(words.trim());
      ctx.ui.notify(`This session is called "${pi.getSessionName() ?? ""}".`);
    },
  });
};

export default extension;
