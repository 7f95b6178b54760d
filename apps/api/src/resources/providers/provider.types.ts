/** The types of providers, each of which has AWS's regions. */
export const PROVIDER_TYPES = ["aws"];

export function isProviderType(text: string): boolean {
  return PROVIDER_TYPES.includes(text);
}
