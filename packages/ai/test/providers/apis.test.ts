import { expect, test } from "bun:test";
import { CALLABLE_APIS, type Fetch, PROVIDER_APIS, streamModel } from "../../src/index.ts";
import { scriptedModelInfo } from "../../src/testing/scripted-model.ts";

const noNetwork: Fetch = async () => {
  throw new Error("no network in this test");
};

test.each([...PROVIDER_APIS])("%s is callable exactly when there is a protocol for it", async (api) => {
  const stream = streamModel({ ...scriptedModelInfo, api }, { messages: [] }, { apiKey: "k", fetch: noNetwork });
  const { errorMessage } = await stream.result();
  expect(errorMessage?.startsWith("Unknown API")).toBe(!CALLABLE_APIS.has(api));
});
