/** Hides the user, the path and the query of a URL, which often hold tokens. Returns `…` for what is not a URL. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return "…";
  const { origin, username, password, pathname, search, hash } = new URL(text);
  return username + password + pathname + search + hash === "/" ? text : `${origin}/***`;
}

/** Hides the paths and the queries of the URLs in a sentence. */
export function maskUrlsIn(sentence: string): string {
  return sentence.replace(/https?:\/\/\S+?(?=[.:,]?(\s|$))/gi, maskUrl);
}
