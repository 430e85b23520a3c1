import type { MessageQueue } from "@pintle/agent";
import type { Queue } from "@pintle/wire";

/** Describes the queued messages for a host. */
export function describeQueue(queue: MessageQueue): Required<Queue> {
  return {
    steering: queue.texts("steering"),
    followUp: queue.texts("followUp"),
    steeringIds: queue.ids("steering"),
    followUpIds: queue.ids("followUp"),
  };
}
