import type { Reply } from "./reply/reply.js";

/** Returns the media types of a reply's body, the usual one first. */
export function mediaTypesOf({ mediaType = "application/json", alternative }: MediaTypes): string[] {
  return alternative === undefined ? [mediaType] : [mediaType, alternative];
}

type MediaTypes = Pick<Reply<unknown>, "mediaType" | "alternative">;
