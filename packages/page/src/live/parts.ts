import type { LivePart } from "./app.ts";
import { banner } from "./shell/banner.ts";
import { bar } from "./shell/bar.ts";

/** In this order they are put into the layout. */
export const PARTS: readonly LivePart[] = [bar, banner];
