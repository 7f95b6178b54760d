/** Starts what every test file needs, before the processes start that run them. */
export default async function setUp() {
  if (!process.execArgv.includes("--conditions=gantry-source")) throw new Error("Run the tests with npm test.");
  const { default: startStack } = await import("../start-stack.ts");
  globalThis.stopStack = await startStack();
}
