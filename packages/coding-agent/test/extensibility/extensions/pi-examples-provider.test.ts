import { expect } from "bun:test";
import { AuthStorage } from "../../../src/config/keys/auth-storage.ts";
import { ModelRegistry } from "../../../src/config/models/model-registry.ts";
import { registerExtensionProvider } from "../../../src/extensibility/host/provider-registration.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { example, hasExamples } from "../../support/extensibility/extensions/pi-examples.ts";
import { where } from "../../support/where.ts";

where(hasExamples, "needs pi's examples from the npm registry").test(
  "custom-provider-gitlab-duo: a token makes its models usable without a login",
  async () => {
    await using harness = await startExtensions([], { files: [example("custom-provider-gitlab-duo")] });
    expect(harness.host.faults).toEqual([]);
    const registry = ModelRegistry.inMemory(AuthStorage.inMemory({ env: { GITLAB_TOKEN: "glpat-x" } }));
    registerExtensionProvider(registry, "gitlab-duo", harness.host.providers.get("gitlab-duo")!);
    const models = registry.getAvailable().filter(({ provider }) => provider === "gitlab-duo");
    expect(models.length).toBeGreaterThan(3);
    expect(models[0]).toMatchObject({ api: "gitlab-duo-api", reasoning: true });
    expect(await registry.requestAuth(models[0]!)).toMatchObject({ apiKey: "glpat-x", foreign: expect.any(Function) });
  },
);
