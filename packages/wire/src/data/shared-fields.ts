import { inputImage, interruptMode, queueMode } from "../fields.ts";

// What commands take and others repeat, under a name of its own in the reference.

export const InputImageSchema = inputImage();
export const QueueModeSchema = queueMode();
export const InterruptModeSchema = interruptMode();
