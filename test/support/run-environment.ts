const { BASE_URL: _, ...others } = process.env;

/** The environment of the run. Vitest sets BASE_URL, which Gantry would read. */
export const variables: Readonly<NodeJS.ProcessEnv> = others;
