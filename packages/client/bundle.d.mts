/**
 * Returns the text of a module that exports `Gantry` and `verifyWebhook` and imports nothing.
 *
 * @throws Error if the client imports a module of Node
 */
export function bundleClient(): Promise<string>;
