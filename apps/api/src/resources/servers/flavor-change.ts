import type { Tx } from "@gantry/db";
import { invalid } from "../../http/errors/errors.js";
import { listComputeFlavors } from "../compute-flavors/compute-flavor.offers.js";
import { nearestFlavors } from "./flavor-distance.js";
import { architectureOf } from "./server.references.js";
import { refusedSetting } from "./server.rules.js";

/** A change of the flavor of what stands. */
interface FlavorChange {
  holder: "server" | "group";
  /** The path of the flavor in the input. */
  path: string;
  providerId: number;
  /** The region or zone that must offer the flavor. */
  locationId: string;
  former: string;
  flavor: string;
  settings: Omit<Parameters<typeof refusedSetting>[0], "flavor">;
  /** True for a zone that must offer the flavor too, if it offers the former one. */
  isUsed?: (zone: string) => boolean;
}

/** Costs three queries. @throws 422 with the nearest flavors in size if what stands cannot have the flavor */
export async function requireFlavorFor(db: Tx, change: FlavorChange): Promise<void> {
  const { holder, path, providerId, locationId, former, flavor, settings, isUsed = () => false } = change;
  const architecture = await architectureOf(db, former);
  const offered = await listComputeFlavors(db, { providerId, locationId });
  const zones = offered.find(({ name }) => name === former)?.zones?.filter(isUsed) ?? [];
  const refusal = (wanted: (typeof offered)[number]) => {
    if (wanted.architecture !== architecture)
      return `${wanted.name} has the architecture ${wanted.architecture}, but the ${holder}'s image needs ${architecture}`;
    const missing = wanted.zones && zones.find((zone) => !wanted.zones?.includes(zone));
    if (missing) return `AWS does not offer ${wanted.name} in ${missing}, where the ${holder} may launch instances`;
    return refusedSetting({ flavor: wanted.name, ...settings })?.message;
  };
  const wanted = offered.find(({ name }) => name === flavor);
  const reason = wanted ? refusal(wanted) : `AWS does not offer ${flavor} in ${locationId}`;
  if (!reason) return;
  const possible = offered.filter((each) => each.name !== former && !refusal(each));
  const nearest = await nearestFlavors(db, possible, { flavor, former });
  const instead = nearest.length > 0 ? `the ${holder} can get ${nearest.join(", ")}` : "it can get no other flavor";
  throw invalid(path, `${reason}; ${instead} (see GET /providers/${providerId}/flavors/compute)`);
}
