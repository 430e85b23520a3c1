import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { attachedImages } from "../../src/images/attached-images.ts";
import { PastedImages } from "../../src/images/pasted-images.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");

test("attaches a file dropped on the window, however the terminal writes its path", async () => {
  const directory = scratchPath();
  try {
    const path = join(directory, "my shot (1).png");
    writeFileSync(path, PNG);
    writeFileSync(join(directory, "text.png"), "no image");
    const escaped = path.replace(/[ ()]/g, "\\$&");
    for (const written of [escaped, `'${path}'`, `"${path}"`, pathToFileURL(path).href, '@"my shot (1).png"']) {
      const images = await attachedImages(`see ${written} please`, directory, new PastedImages());
      expect({ written, types: images.map(({ mimeType }) => mimeType) }).toEqual({ written, types: ["image/png"] });
    }
    for (const words of ["@text.png", "@missing.png", "'/none.png'", "file:///none.png", "file://host/x.png", "/a/b"]) {
      expect(await attachedImages(words, directory, new PastedImages())).toEqual([]);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("sends each pasted image whose placeholder is in the message, once", async () => {
  const pasted = new PastedImages();
  const image = (data: string) => ({ type: "image" as const, data, mimeType: "image/png" });
  const [first, second] = [pasted.add(image("a")), pasted.add(image("b"))];
  const sent = async (text: string) => (await attachedImages(text, "/", pasted)).map(({ data }) => data);
  expect(await sent(`${second} and ${first} and ${second}`)).toEqual(["b", "a"]);
  expect(await sent(`only ${first}`)).toEqual(["a"]);
  expect(await sent("[image #7] is none")).toEqual([]);
});
