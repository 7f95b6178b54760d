/** The flavor whose offer a check looks for: that of a server without another one. */
export const DEFAULT_FLAVOR = "t3.medium" as const;
