import type { Feature } from "../app.ts";
import { MAX_IMAGE_BYTES, toInputImage } from "../images/attached-images.ts";
import { clipboardImage } from "../images/clipboard-image.ts";

/** Adds the image in the clipboard to the message, because terminals paste only text. */
export const pastingImages: Feature = (app) => {
  app.keys.on("pasteImage", () => {
    const paste = async () => {
      const bytes = await clipboardImage({
        env: app.options.env,
        platform: process.platform,
        lend: (work) => app.lend(work),
      });
      const image = bytes.length <= MAX_IMAGE_BYTES ? toInputImage(bytes) : undefined;
      if (!image) throw new Error("The image in the clipboard is too large (20 MB).");
      app.editor.insert(`${app.pastedImages.add(image)} `);
      app.redraw();
    };
    paste().catch((error) => app.say(error.message, "warning"));
  });
};
