/** Gemini 3 and later: they check thought signatures and take pictures inside a function's response. */
export function isGemini3(modelId: string): boolean {
  const generation = /gemini-(\d+)/.exec(modelId)?.[1];
  // `gemini-flash-latest` and its like name whatever is current.
  return generation === undefined ? /gemini-.*latest$/.test(modelId) : Number(generation) >= 3;
}
