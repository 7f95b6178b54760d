/** The first-boot settings in a server's user data, or undefined if there are none. */
export function readFirstBoot(userData: string | undefined) {
  const script = Buffer.from(userData ?? "", "base64").toString();
  const [, settings] = /^SETTINGS = "(.+)"$/m.exec(script) ?? [];
  return settings && JSON.parse(Buffer.from(settings, "base64").toString());
}
