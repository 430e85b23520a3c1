import { h } from "../../dom.ts";
import { placeHash } from "../connection/address.ts";

/** Link to the session, without the token. */
export function shareLink(sessionId: string, page: { origin: string; pathname: string } = location): string {
  return `${page.origin}${page.pathname}${placeHash({ session: sessionId })}`;
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
