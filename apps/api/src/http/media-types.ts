/** The media types of a reply's body. */
export interface MediaTypes {
  /** The content type, if it is not JSON. */
  mediaType?: string;
  /** Another media type in which a caller may ask for it. */
  alternative?: string;
}

/** Returns the media types of a reply's body, the usual one first. */
export function mediaTypesOf({ mediaType = "application/json", alternative }: MediaTypes): string[] {
  return alternative === undefined ? [mediaType] : [mediaType, alternative];
}
