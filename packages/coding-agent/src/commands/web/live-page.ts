import type { LivePage } from "@pintle/gateway";
import { bundleLivePage } from "@pintle/page/bundle" with { type: "macro" };

const { brotli, gzip, etag, policy, files } = bundleLivePage();

const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"));

/** The page that is built into the program. */
export const livePage: LivePage = {
  brotli: bytes(brotli),
  gzip: bytes(gzip),
  etag,
  policy,
  files: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, bytes(content)])),
};
