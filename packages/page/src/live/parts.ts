import type { LivePart } from "./app.ts";
import { composer } from "./composer/composer.ts";
import { conversation } from "./conversation/conversation.ts";
import { banner } from "./shell/banner.ts";
import { bar } from "./shell/bar.ts";
import { meter } from "./shell/meter.ts";

/** In this order they are put into the layout. */
export const PARTS: readonly LivePart[] = [bar, banner, conversation, composer, meter];
