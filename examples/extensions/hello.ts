// The smallest extension: one command. Its text is shown to the user and never reaches the model. Try it:
//   pintle --extension examples/extensions/hello.ts -p '/hello Ada'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) =>
  pi.registerCommand("hello", { handler: (name, ctx) => ctx.ui.notify(`Hello, ${name || "world"}!`) });

export default extension;
