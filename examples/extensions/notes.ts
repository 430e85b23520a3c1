// A tool and a command that share state stored in the session: notes that the model takes, restored when it is resumed.
//   pintle --extension examples/extensions/notes.ts -p 'call take_note {"note":"tabs, not spaces"}'

import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  const { Type } = pi.typebox;
  let notes: string[] = [];

  // Runs again for every session, so there is nothing to clear.
  pi.on("session_start", (_event, ctx) => {
    notes = ctx.sessionManager
      .getBranch()
      .flatMap((entry) => (entry.type === "custom" && entry.customType === "note" ? [String(entry.data)] : []));
    ctx.ui.setStatus("notes", notes.length > 0 ? `${notes.length} notes` : undefined);
  });

  pi.registerTool({
    name: "take_note",
    label: "Take a note",
    description: "Remembers a fact for the rest of this session.",
    promptSnippet: "remember a fact",
    parameters: Type.Object({ note: Type.String({ minLength: 1 }) }),
    async execute(_toolCallId, { note }, _signal, _onUpdate, ctx) {
      notes.push(note);
      pi.appendEntry("note", note);
      ctx.ui.setStatus("notes", `${notes.length} notes`);
      return { content: [{ type: "text", text: `Noted (${notes.length}).` }], details: { count: notes.length } };
    },
  });

  pi.on("before_agent_start", ({ systemPrompt }) =>
    notes.length > 0
      ? { systemPrompt: `${systemPrompt}\n\nYour notes:\n${notes.map((note) => `- ${note}`).join("\n")}` }
      : undefined,
  );

  pi.registerCommand("notes", {
    description: "Show the notes",
    handler: (_args, ctx) => ctx.ui.notify(notes.length > 0 ? notes.join("\n") : "There are no notes."),
  });
};

export default extension;
