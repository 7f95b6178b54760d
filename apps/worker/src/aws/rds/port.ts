/** The port that an engine listens on. */
export function portOf(engine: string): number {
  return engine === "postgres" ? 5432 : 3306;
}
