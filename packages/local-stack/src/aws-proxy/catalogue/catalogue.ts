import {
  isEncryptable,
  isSpecificationFlavor,
  SPECIFICATION_DATABASE_FLAVORS,
  SPECIFICATION_FLAVORS,
  SPECIFICATION_VERSIONS,
} from "@gantry/aws-facts";
import type { TodaysOffers } from "./today.js";

/** The offers of the emulated AWS: AWS's own of today, those of the specification's time, or both. */
export const CATALOGUE_MODES = ["today", "specification", "both"] as const;

export type CatalogueMode = (typeof CATALOGUE_MODES)[number];

/** One way to order a database server. */
export interface DatabaseOption {
  className: string;
  storageType: string;
  isEncryptable: boolean;
}

const INSTANCE_STORAGE = ["gp2", "gp3", "io1", "io2"];
const OLD_INSTANCE_STORAGE = ["standard", "gp2", "io1"];

/** The offers of one emulated AWS account in one region. */
export class Catalogue {
  constructor(
    private readonly today: TodaysOffers,
    private readonly mode: CatalogueMode,
    private readonly region: string,
  ) {}

  /** The zones that offer each instance type. */
  zonesByType(): Map<string, string[]> {
    const today = this.today.zonesByType(this.region);
    if (this.mode === "today") return today;
    const all = [...new Set([...today.values()].flat())].sort();
    const old = SPECIFICATION_FLAVORS.map(([name]): [string, string[]] => [name, all]);
    return new Map(this.mode === "both" ? [...today, ...old] : old);
  }

  /** The versions of a database engine, the oldest first. */
  engineVersions(engine: string): string[] {
    const old = this.mode === "today" ? [] : (SPECIFICATION_VERSIONS[engine] ?? []);
    return [...old, ...(this.mode === "specification" ? [] : this.today.engineVersions(engine))];
  }

  /** The ways to order a server of an engine. */
  databaseOptions(engine: string, version: string): DatabaseOption[] {
    const isAurora = engine.startsWith("aurora");
    const option = (className: string, isOld: boolean) =>
      (isAurora ? ["aurora"] : isOld ? OLD_INSTANCE_STORAGE : INSTANCE_STORAGE).map((storageType) => ({
        className,
        storageType,
        isEncryptable: isEncryptable(className),
      }));
    const today = this.mode === "specification" ? [] : this.today.databaseClasses(this.region, engine, version);
    const flavors = SPECIFICATION_DATABASE_FLAVORS.filter((flavor) => isSpecificationFlavor(engine, flavor));
    const old = this.mode === "today" ? [] : flavors.filter((flavor) => !today.includes(flavor));
    return [...today.flatMap((name) => option(name, false)), ...old.flatMap((name) => option(name, true))];
  }
}
