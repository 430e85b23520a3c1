import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  readLlamaCppProps,
  readLmStudioModels,
  readOllamaDetails,
  readOllamaTags,
  readOpenAiModels,
} from "../../../src/config/models/local-listings.ts";

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("model", "a\u001bb", "x".repeat(300), "embed", null, -1, 1e300),
);
const item = fc.dictionary(
  fc.constantFrom("id", "model", "name", "type", "state", "meta", "details", "capabilities", "max_context_length"),
  anything,
);
const list = fc.oneof(
  anything,
  fc.record({
    data: fc.oneof(anything, fc.array(fc.oneof(item, anything))),
    models: fc.array(fc.oneof(item, anything)),
  }),
);

test.each([
  ["Ollama", readOllamaTags],
  ["LM Studio", readLmStudioModels],
  ["OpenAI", readOpenAiModels],
])(
  "whatever the list of %s holds, models have a name that can be shown and a window that holds an answer",
  (_name, read) => {
    fc.assert(
      fc.property(list, (json) => {
        for (const { id, contextWindow = 2, maxTokens = 1 } of read(json) ?? []) {
          expect(id).toMatch(/^[^\p{Cc}]{1,200}$/u);
          expect(Number.isSafeInteger(contextWindow)).toBe(true);
          expect(maxTokens).toBeWithin(1, contextWindow + 1);
        }
      }),
      { numRuns: 500 },
    );
  },
);

test.each([
  ["Ollama", readOllamaDetails],
  ["llama.cpp", readLlamaCppProps],
])("whatever %s says about a model, it is a change of one or none", (_name, read) => {
  const details = fc.dictionary(
    fc.constantFrom("capabilities", "model_info", "parameters", "default_generation_settings", "modalities"),
    fc.oneof(anything, fc.record({ "a.context_length": anything, n_ctx: anything, vision: anything })),
  );
  fc.assert(
    fc.property(fc.oneof(anything, details), (json) => {
      const { contextWindow = 1, maxTokens = 1, input = ["text"] } = read(json) ?? {};
      expect([contextWindow > 0, maxTokens > 0, input[0]]).toEqual([true, true, "text"]);
    }),
    { numRuns: 500 },
  );
});
