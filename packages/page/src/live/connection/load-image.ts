/**
 * Returns an image that the server stores with its sessions, as a URL that this page may show. Returns undefined if it
 * does not exist.
 */
export async function loadImage(
  request: (path: string) => Promise<Response>,
  reference: string,
  mimeType: string,
): Promise<string | undefined> {
  const digest = reference.replace(/^blob:sha256:/, "");
  const answer = await request(`/blob/${encodeURIComponent(digest)}`);
  if (!answer.ok) return undefined;
  const picture = new Blob([await answer.arrayBuffer()], { type: mimeType.toLowerCase() });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(picture);
  });
}
