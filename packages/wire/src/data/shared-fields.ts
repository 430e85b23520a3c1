import { inputImage, interruptMode, queueMode } from "../fields.ts";

// Types that several commands use, with a name of their own in the reference.

export const InputImageSchema = inputImage();
export const QueueModeSchema = queueMode();
export const InterruptModeSchema = interruptMode();
