import { expect, test } from "bun:test";
import type { Model } from "../../src/model.ts";
import { maxToolsOf } from "../../src/providers/tool-limits.ts";

test.each<[Partial<Model>, number | undefined]>([
  [{ provider: "openai", baseUrl: "https://api.openai.com/v1" }, 128],
  [{ provider: "mine", baseUrl: "https://my.openai.azure.com/openai" }, 128],
  [{ provider: "openai", baseUrl: "http://proxy.example/v1" }, 128],
  [{ provider: "google", baseUrl: "https://generativelanguage.googleapis.com/v1beta" }, 512],
  [{ provider: "anthropic", baseUrl: "https://api.anthropic.com" }, undefined],
  [{ provider: "mine", baseUrl: "https://api.openai.com.example" }, undefined],
  [{ provider: "mine", baseUrl: "no address", compat: { maxTools: 5 } }, 5],
])("%j takes %p", (model, expected) => {
  expect(maxToolsOf(model as Model)).toBe(expected);
});
