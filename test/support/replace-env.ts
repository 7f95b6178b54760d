/** Sets environment variables of this process, or removes those whose value is undefined, until the end of the test or `restore()`. */
export function replaceEnv(values: NodeJS.ProcessEnv): { restore: () => void } {
  const replaced = Object.entries({ ...process.env, ...values }).filter(([, value]) => value !== undefined);
  return jest.replaceProperty(process, "env", Object.fromEntries(replaced));
}
