import type { ElicitAction } from "./ask-form.ts";
import type { PersonDialogs } from "./person.ts";

const MAX_ADDRESS = 4_096;

/** Throws an Error that says why a person is not led there. */
export function readAddress(written: string): URL {
  if (written.length > MAX_ADDRESS) throw new Error(`an address of more than ${MAX_ADDRESS} characters`);
  if (!URL.canParse(written)) throw new Error("an address that is none");
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error(`an address of the kind ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw new Error("an address with a name before the host");
  return url;
}

export interface AddressQuestion {
  dialogs: PersonDialogs;
  heading: string;
  message: string;
  url: URL;
  signal: AbortSignal;
}

/** Shows the whole address; it is opened by the person, and never asked for here. */
export async function askAddress({ dialogs, heading, message, url, signal }: AddressQuestion): Promise<ElicitAction> {
  let isLate = false;
  const text = [message, url.href, `This leads to ${url.host}. Agree only if you trust it.`].join("\n\n");
  const isAgreed = await dialogs.confirm(`${heading} wants you to open an address`, text, {
    signal,
    onTimeout: () => {
      isLate = true;
    },
  });
  if (isAgreed) return "accept";
  return isLate || signal.aborted ? "cancel" : "decline";
}

/** Resolves when the person, or the server by the other signal, says that all is done there; false: it is not. */
export async function askWhetherDone(
  { dialogs, heading, url }: Pick<AddressQuestion, "dialogs" | "heading" | "url">,
  { signal, completed }: { signal: AbortSignal; completed: AbortSignal },
): Promise<boolean> {
  const isDone = await dialogs.confirm(
    `${heading} waits until you are done`,
    `Confirm when you have finished at ${url.href}`,
    { signal: AbortSignal.any([signal, completed]) },
  );
  return !signal.aborted && (isDone || completed.aborted);
}
