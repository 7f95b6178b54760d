/** The environment of the run: what a process of Jest had when it loaded its first test file. */
export const variables: Readonly<NodeJS.ProcessEnv> = { ...process.env };
