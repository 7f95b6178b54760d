/** What user data of a server's tells it, or undefined where there is none. */
export function readFirstBoot(userData: string | undefined) {
  const script = Buffer.from(userData ?? "", "base64").toString();
  const [, told] = /^TOLD = "(.+)"$/m.exec(script) ?? [];
  return told && JSON.parse(Buffer.from(told, "base64").toString());
}
