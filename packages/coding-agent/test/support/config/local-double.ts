/** A server's response for one path: a body, or something unusual. */
export type Reply = string | object | Response | (() => Response | Promise<Response>);

/** Simulates Ollama and similar servers on loopback, and records the requests. */
export function localDouble(replies: Record<string, Reply>) {
  const asked: { path: string; authorization: string | null; body: string }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      const body = await request.text();
      asked.push({ path, authorization: request.headers.get("authorization"), body });
      const reply = replies[`${path} ${body}`] ?? replies[path];
      if (reply === undefined) return new Response("404 page not found", { status: 404 });
      if (typeof reply === "function") return reply();
      if (reply instanceof Response) return reply;
      const text = typeof reply === "string" ? reply : JSON.stringify(reply);
      return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return { origin, asked, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** No server listens there. */
export const CLOSED = "http://127.0.0.1:9";

/** Returns an environment that directs all three local servers to their test doubles, or nowhere. */
export function localEnvironment({ ollama = CLOSED, lmStudio = CLOSED, llamaCpp = CLOSED } = {}) {
  return { OLLAMA_BASE_URL: ollama, LM_STUDIO_BASE_URL: lmStudio, LLAMA_CPP_BASE_URL: llamaCpp };
}

export const OLLAMA_TAGS =
  '{"models":[{"name":"gemma3:4b","model":"gemma3:4b","modified_at":"2026-09-12T10:00:00Z","size":3338801804,"digest":"a2af6cc3eb7fa8be8504abaf9b04e88f17a119ec3f04a3addf55f92841195f5a","details":{"parent_model":"","format":"gguf","family":"gemma3","families":["gemma3"],"parameter_size":"4.3B","quantization_level":"Q4_K_M"}},' +
  '{"name":"qwen3:8b","model":"qwen3:8b","modified_at":"2026-10-03T23:34:03.409490317-07:00","size":5225388164,"digest":"500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41","details":{"parent_model":"","format":"gguf","family":"qwen3","families":["qwen3"],"parameter_size":"8.2B","quantization_level":"Q4_K_M"}},' +
  '{"name":"nomic-embed-text:latest","model":"nomic-embed-text:latest","modified_at":"2026-09-12T10:00:00Z","size":274302450,"digest":"0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f","details":{"parent_model":"","format":"gguf","family":"nomic-bert","families":["nomic-bert"],"parameter_size":"137M","quantization_level":"F16"}}]}';
export const OLLAMA_QWEN =
  '{"license":"Apache License","modelfile":"# Modelfile","parameters":"num_ctx                        16384\\nstop                           \\"<|im_end|>\\"","template":"{{ .Prompt }}","details":{"family":"qwen3"},"model_info":{"general.architecture":"qwen3","qwen3.block_count":36,"qwen3.context_length":40960},"capabilities":["completion","tools","thinking"],"modified_at":"2026-10-03T23:34:03.409490317-07:00"}';
export const OLLAMA_GEMMA =
  '{"license":"Gemma","modelfile":"# Modelfile","parameters":"temperature 1","template":"{{ .Prompt }}","details":{"family":"gemma3"},"model_info":{"general.architecture":"gemma3","gemma3.context_length":131072},"capabilities":["completion","vision"],"modified_at":"2026-09-12T10:00:00Z"}';

export const ollama = {
  "/api/tags": OLLAMA_TAGS,
  '/api/show {"model":"qwen3:8b"}': OLLAMA_QWEN,
  '/api/show {"model":"gemma3:4b"}': OLLAMA_GEMMA,
};

export const lmStudio = {
  "/api/v0/models": {
    object: "list",
    data: [
      {
        id: "qwen2-vl-7b-instruct",
        object: "model",
        type: "vlm",
        publisher: "mlx-community",
        arch: "qwen2_vl",
        compatibility_type: "mlx",
        quantization: "4bit",
        state: "not-loaded",
        max_context_length: 32768,
      },
      {
        id: "qwen3-coder-30b",
        object: "model",
        type: "llm",
        publisher: "lmstudio-community",
        arch: "qwen3moe",
        compatibility_type: "gguf",
        quantization: "Q4_K_M",
        state: "loaded",
        max_context_length: 262144,
        loaded_context_length: 20000,
        capabilities: ["tool_use"],
      },
      {
        id: "text-embedding-nomic-embed-text-v1.5",
        object: "model",
        type: "embeddings",
        publisher: "nomic-ai",
        arch: "nomic-bert",
        compatibility_type: "gguf",
        quantization: "Q4_0",
        state: "not-loaded",
        max_context_length: 2048,
      },
    ],
  },
};

export const llamaCpp = {
  "/v1/models":
    '{"models":[{"name":"unsloth/Qwen3.6-35B-A3B-GGUF","model":"unsloth/Qwen3.6-35B-A3B-GGUF","modified_at":"","size":"","digest":"","type":"model","description":"","tags":[""],"capabilities":["completion","multimodal"],"parameters":"","details":{"parent_model":"","format":"gguf","family":"","families":[""],"parameter_size":"","quantization_level":""}}],"object":"list","data":[{"id":"unsloth/Qwen3.6-35B-A3B-GGUF","aliases":[],"tags":[],"object":"model","created":1777491665,"owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":248320,"n_ctx_train":262144,"n_embd":2048,"n_params":34660610688,"size":22241951744}}]}',
  "/props":
    '{"default_generation_settings":{"params":{"temperature":1.0},"n_ctx":65536},"total_slots":4,"model_alias":"unsloth/Qwen3.6-35B-A3B-GGUF","model_path":"/models/qwen.gguf","modalities":{"vision":true,"audio":false},"build_info":"b8681-Debian"}',
};
