import type { Content } from "@google/genai";
import type { Model } from "../../model.ts";
import type { HttpProtocol } from "../protocol.ts";
import { withUserHeaders } from "../request-parts.ts";
import { GoogleDecoder } from "./decoder.ts";
import { toGoogleBody } from "./request.ts";

/** Google's Gemini API. */
export const googleGenerativeAi: HttpProtocol = {
  request: (model, context, options) => {
    const body = toGoogleBody(model, context, options);
    return {
      url: streamUrl(model),
      headers: withUserHeaders(options.apiKey ? { "x-goog-api-key": options.apiKey } : {}, model, options),
      body,
      list: "contents",
      prefix: { tools: body.tools ?? [], system: body.systemInstruction, messages: toPieces(body.contents) },
    };
  },
  decoder: (model, out) => new GoogleDecoder(model, out),
};

/** People write the base URL with and without the version, and the model as the API lists it, `models/…`. */
function streamUrl({ baseUrl, id }: Model): string {
  const base = baseUrl.replace(/\/+$/, "");
  const versioned = /\/v\d+\w*$/.test(base) ? base : `${base}/v1beta`;
  const name = id.includes("/") ? id : `models/${id}`;
  return `${versioned}/${name.split("/").map(encodeURIComponent).join("/")}:streamGenerateContent?alt=sse`;
}

/** Adjacent messages of one role form one content item, which grows. */
function toPieces(contents: readonly Content[]): object[] {
  return contents.flatMap(({ role, parts = [] }) => parts.map((part) => pieceOf(role, part)));
}

/** A part belongs to one content item. The same part gives the same piece, so that observers can recognize it. */
const pieces = new WeakMap<object, object>();

function pieceOf(role: string | undefined, part: object): object {
  const known = pieces.get(part);
  if (known) return known;
  const piece = { role, part };
  pieces.set(part, piece);
  return piece;
}
