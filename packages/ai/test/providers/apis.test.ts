import { expect, test } from "bun:test";
import { type Fetch, PROVIDER_APIS, streamModel } from "../../src/index.ts";
import { scriptedModelInfo } from "../../src/testing/scripted-model.ts";

const noNetwork: Fetch = async () => {
  throw new Error("no network in this test");
};

async function errorOf(api: string): Promise<string | undefined> {
  const stream = streamModel({ ...scriptedModelInfo, api }, { messages: [] }, { apiKey: "k", fetch: noNetwork });
  return (await stream.result()).errorMessage;
}

test.each([...PROVIDER_APIS])("%s can be called", async (api) => {
  expect(await errorOf(api)).not.toStartWith("Unknown API");
});

test.each(["gopher", "constructor", ""])("%j cannot", async (api) => {
  expect(await errorOf(api)).toStartWith(`Unknown API "${api}"`);
});
