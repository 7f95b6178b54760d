/** What a person chooses for a boot of their own shape. */
export interface CustomShape {
  apps: string;
  appFlavor: string;
  /** Empty for no database server. */
  dbFlavor: string;
  hasDatabase: boolean;
  replicas: string;
  /** Names of utility servers, with commas between them. */
  utils: string;
  utilFlavor: string;
}

export const SHAPES = [
  ["solo", "Solo: one server for everything"],
  ["cluster", "Cluster: two application servers and a database server"],
  ["production", "Production: three application servers and a database with a replica"],
  ["custom", "Custom: counts and flavors of your own"],
  ["blueprint", "Blueprint: like servers of before"],
] as const;

export type Shape = (typeof SHAPES)[number][0];

/** The part of a boot that depends on the shape, by paths of the body. */
export function configurationOf(shape: Shape, custom: CustomShape): Record<string, unknown> {
  if (shape === "blueprint") return {};
  if (shape !== "custom") return { "cluster_configuration.configuration": { type: shape } };
  const { apps, appFlavor, dbFlavor, hasDatabase, replicas, utils, utilFlavor } = custom;
  const flavored = (flavor: string) => (flavor ? { flavor } : {});
  const names = utils.split(",").flatMap((name) => name.trim() || []);
  return {
    "cluster_configuration.configuration": {
      type: "custom",
      apps: { count: Number(apps), ...flavored(appFlavor) },
      ...(hasDatabase && {
        db_master: flavored(dbFlavor),
        db_slaves: Array.from({ length: Number(replicas) }, () => flavored(dbFlavor)),
      }),
      utils: names.map((name) => ({ name, ...flavored(utilFlavor) })),
    },
  };
}
