import { h } from "../../dom.ts";
import { placeHash } from "../connection/address.ts";

/** Returns a link to the session, without the token. */
export function shareLink(sessionId: string, page: { origin: string; pathname: string } = location): string {
  return `${page.origin}${page.pathname}${placeHash({ session: sessionId })}`;
}

/**
 * Downloads the exported page as a file. The token goes in a header, because logs and histories would keep an address. The page
 * is not opened in this window, where it would belong to this server's origin.
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
  // By then the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Only letters, digits and dashes, because it becomes a file name. */
export function fileName(name: string): string {
  const words = name
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${words || "session"}.html`;
}
