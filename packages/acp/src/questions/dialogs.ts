import type { PermissionOption } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { AcpClient } from "../client/acp-client.ts";
import type { Frame } from "../gateway-link.ts";

type Answer = { value: string } | { confirmed: boolean } | { cancelled: true };

interface Asked {
  client: AcpClient;
  dialog: Frame;
  /** For clients without forms: they can only ask about a tool call. */
  toolCallId: string;
  signal: AbortSignal;
}

const CANCELLED: Answer = { cancelled: true };
const FIELD = "answer";

/** Shows the dialogs of extensions and of the `ask` tool. */
const DIALOGS: Readonly<
  Record<string, { form(asked: Asked): Promise<Answer>; plain?(asked: Asked): Promise<Answer> }>
> = {
  select: { form: selectForm, plain: selectOption },
  confirm: { form: confirmForm, plain: confirmOption },
  input: { form: (asked) => textForm(asked, asked.dialog.placeholder, undefined) },
  editor: { form: (asked) => textForm(asked, undefined, asked.dialog.prefill) },
};

/**
 * Uses a form if the client has them, otherwise options to choose from. Without forms, a dialog that needs text is cancelled.
 */
export async function askDialog(asked: Asked): Promise<Answer> {
  const { form, plain } = DIALOGS[String(asked.dialog.method)]!;
  if (asked.client.able.showsForms) return form(asked);
  return plain ? plain(asked) : CANCELLED;
}

function optionsIn({ options, optionDetails }: Frame): { label: string; description?: string }[] {
  const details = Array.isArray(optionDetails) ? optionDetails : [];
  return (Array.isArray(options) ? options : []).map((label, index) => {
    const detail: unknown = details[index];
    const description = isRecord(detail) && typeof detail.description === "string" ? detail.description : undefined;
    return { label: String(label), ...(description !== undefined && { description }) };
  });
}

async function selectForm({ client, dialog, signal }: Asked): Promise<Answer> {
  const options = optionsIn(dialog);
  const oneOf = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description !== undefined && { description }),
  }));
  const property = { type: "string" as const, title: "Answer", oneOf };
  const content = await client.elicit(
    {
      message: String(dialog.title),
      requestedSchema: { type: "object", properties: { [FIELD]: property }, required: [FIELD] },
    },
    signal,
  );
  const value = content?.[FIELD];
  return options.some(({ label }) => label === value) ? { value: value as string } : CANCELLED;
}

async function confirmForm({ client, dialog, signal }: Asked): Promise<Answer> {
  const property = { type: "boolean" as const, title: "Yes", default: false };
  const content = await client.elicit(
    {
      message: `${String(dialog.title)}\n${String(dialog.message)}`,
      requestedSchema: { type: "object", properties: { [FIELD]: property }, required: [FIELD] },
    },
    signal,
  );
  return content ? { confirmed: content[FIELD] === true } : CANCELLED;
}

async function textForm({ client, dialog, signal }: Asked, hint: unknown, prefill: unknown): Promise<Answer> {
  const property = {
    type: "string" as const,
    title: "Answer",
    ...(typeof hint === "string" && { description: hint }),
    ...(typeof prefill === "string" && { default: prefill }),
  };
  const content = await client.elicit(
    {
      message: String(dialog.title),
      requestedSchema: { type: "object", properties: { [FIELD]: property }, required: [FIELD] },
    },
    signal,
  );
  const value = content?.[FIELD];
  return typeof value === "string" ? { value } : CANCELLED;
}

async function choose(
  { client, toolCallId, signal }: Asked,
  title: string,
  options: PermissionOption[],
): Promise<string | undefined> {
  return client.askPermission({ toolCall: { toolCallId, title, kind: "think", status: "pending" }, options }, signal);
}

/** The option of the `ask` tool that asks for text. A client without forms cannot provide any. */
const OWN_WORDS = "Other (type your own answer)";
const DECLINE: PermissionOption = { optionId: "decline", name: "Decline to answer", kind: "reject_once" };

async function selectOption(asked: Asked): Promise<Answer> {
  const options = optionsIn(asked.dialog).filter(({ label }) => label !== OWN_WORDS);
  const chosen = await choose(asked, String(asked.dialog.title), [
    DECLINE,
    ...options.map(({ label }, index) => ({ optionId: String(index), name: label, kind: "allow_once" as const })),
  ]);
  const option = options.find((_, index) => String(index) === chosen);
  return option ? { value: option.label } : CANCELLED;
}

async function confirmOption(asked: Asked): Promise<Answer> {
  const { title, message } = asked.dialog;
  const chosen = await choose(asked, `${String(title)}: ${String(message)}`, [
    { optionId: "no", name: "No", kind: "reject_once" },
    { optionId: "yes", name: "Yes", kind: "allow_once" },
  ]);
  return chosen === undefined ? CANCELLED : { confirmed: chosen === "yes" };
}
