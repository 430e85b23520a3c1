import type { ElicitAction } from "./ask-form.ts";
import type { PersonDialogs } from "./person.ts";

const MAX_ADDRESS = 4_096;

/** Parses an address that the user may open. Throws an Error that says why it is refused. */
export function readAddress(written: string): URL {
  if (written.length > MAX_ADDRESS) throw new Error(`an address of more than ${MAX_ADDRESS} characters`);
  if (!URL.canParse(written)) throw new Error("an invalid address");
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error(`an address with the scheme ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw new Error("an address with a user name");
  return url;
}

export interface AddressQuestion {
  dialogs: PersonDialogs;
  heading: string;
  message: string;
  url: URL;
  signal: AbortSignal;
}

/** Asks the user to open an address. Shows it in full; the user opens it, and pintle never requests it. */
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

/** Resolves with true when the user confirms or the server reports (`completed`) that all is done there, otherwise with false. */
export async function askWhetherDone(
  { dialogs, heading, url }: Pick<AddressQuestion, "dialogs" | "heading" | "url">,
  { signal, completed }: { signal: AbortSignal; completed: AbortSignal },
): Promise<boolean> {
  const isDone = await dialogs.confirm(
    `${heading} is waiting until you are done`,
    `Confirm when you have finished at ${url.href}`,
    { signal: AbortSignal.any([signal, completed]) },
  );
  return !signal.aborted && (isDone || completed.aborted);
}
