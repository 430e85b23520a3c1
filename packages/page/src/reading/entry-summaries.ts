import type { EntryPage } from "./entry-page.ts";
import { amountOf, type Fields, fieldsOf, listOf, textOf } from "./plain-value.ts";
import { usageRow } from "./usage-row.ts";

/** Entries that replace longer text. */
export const readSummary = {
  compaction(entry: Fields): EntryPage {
    const before = amountOf(entry.tokensBefore);
    const usage = usageRow(entry.usage ?? fieldsOf(entry.details).usage);
    return {
      kind: "compaction",
      title: before === undefined ? "Compaction" : `Compaction of ${before.toLocaleString("en-US")} tokens`,
      body: { text: textOf(entry.summary), facts: [...origin(entry), ...fileFacts(entry.details)] },
      ...(usage && { usage }),
    };
  },

  branch(entry: Fields): EntryPage {
    const usage = usageRow(entry.usage ?? fieldsOf(entry.details).usage);
    return {
      kind: "branch",
      title: "Summary of another branch",
      body: { text: textOf(entry.summary), facts: [...origin(entry), ...fileFacts(entry.details)] },
      ...(usage && { usage }),
    };
  },

  init({ systemPrompt, task, tools }: Fields): EntryPage {
    const facts = [
      task ? `Task: ${textOf(task)}` : "",
      listOf(tools).length > 0 ? `Tools: ${listOf(tools).map(textOf).join(", ")}` : "",
    ];
    return {
      kind: "system",
      title: "System prompt",
      body: { text: textOf(systemPrompt), facts: facts.filter((fact) => fact !== "") },
    };
  },
};

/** Both names are in use for the same thing. */
const isFromExtension = ({ fromExtension, fromHook }: Fields) => (fromExtension ?? fromHook) === true;

function origin(entry: Fields): string[] {
  const facts = isFromExtension(entry) ? ["written by an extension"] : [];
  return typeof entry.method === "string" ? [...facts, `method: ${entry.method}`] : facts;
}

function fileFacts(details: unknown): string[] {
  const { readFiles, modifiedFiles } = fieldsOf(details);
  const names = (files: unknown) => listOf(files).map(textOf).join(", ");
  return [
    ...(listOf(readFiles).length > 0 ? [`read: ${names(readFiles)}`] : []),
    ...(listOf(modifiedFiles).length > 0 ? [`changed: ${names(modifiedFiles)}`] : []),
  ];
}
