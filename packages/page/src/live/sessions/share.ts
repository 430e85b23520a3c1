import { h } from "../../dom.ts";
import { placeHash } from "../connection/address.ts";

/** An address of the session for those who have the token, which is not in it. */
export function shareLink(sessionId: string, page: { origin: string; pathname: string } = location): string {
  return `${page.origin}${page.pathname}${placeHash({ session: sessionId })}`;
}

/** Text, out of the page. Browsers that do not give it to pages without TLS have the older way. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = h("textarea", { class: "unseen", "aria-hidden": "true", tabindex: -1 });
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error(`the browser does not allow it; the address is ${text}`);
}

/**
 * The exported page as a file. The token goes in a header: in an address, logs and histories would keep it. It is not opened in
 * this window either, where it would be a page of this server.
 */
export async function downloadExport(
  sessionId: string,
  name: string,
  request: (path: string) => Promise<Response>,
): Promise<void> {
  const response = await request(`/export/${encodeURIComponent(sessionId)}`);
  if (!response.ok) throw new Error((await response.text()).trim());
  const address = URL.createObjectURL(await response.blob());
  h("a", { href: address, download: fileName(name) }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Nothing in it but letters, digits and dashes: it becomes the name of a file. */
export function fileName(name: string): string {
  const words = name
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${words || "session"}.html`;
}
