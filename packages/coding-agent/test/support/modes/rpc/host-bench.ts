import type { HostMistake, QuestionFrame } from "@pintle/wire";
import type { SettingKey } from "../../../../src/config/settings/settings-schema.ts";
import { HostChannel, type HostChannelParts } from "../../../../src/modes/rpc/host/host-channel.ts";
import { countedIds } from "../../../../src/modes/rpc/host/question-ids.ts";
import { FakeTimers } from "../frames/fake-timers.ts";

const SETTINGS: Partial<Record<SettingKey, number>> = {
  "host.dialogTimeoutMs": 600_000,
  "host.toolTimeoutMs": 300_000,
  "trust.timeoutMs": 120_000,
};

/** A channel whose host is the test, which inspects what is sent and answers as it likes. */
export class HostBench {
  readonly timers = new FakeTimers();
  readonly mistakes: HostMistake[] = [];
  readonly channel: HostChannel;
  readonly #firstFrame = Promise.withResolvers<void>();
  #sent: QuestionFrame[] = [];

  constructor(more: Partial<HostChannelParts> = {}) {
    this.channel = new HostChannel({
      send: (frame) => {
        this.#sent.push(frame);
        this.#firstFrame.resolve();
      },
      settings: { get: (key: SettingKey) => SETTINGS[key] as never },
      env: {},
      mistakes: { report: (mistake) => this.mistakes.push(mistake) },
      timers: this.timers,
      now: () => this.timers.now(),
      newId: countedIds(),
      ...more,
    });
  }

  /** Resolves when the host has been asked something. */
  get asked(): Promise<void> {
    return this.#firstFrame.promise;
  }

  /** Returns the frames since the last call. */
  frames(): QuestionFrame[] {
    const frames = this.#sent;
    this.#sent = [];
    return frames;
  }

  answer(frame: { type: string } & Record<string, unknown>): void {
    this.channel.onAnswer(frame.type, frame);
  }
}
