import type { Server } from "@gantry/db";
import type { PlannedResource } from "../../http/plans/planned-resource.js";
import { plannedInstance } from "../servers/server.plan.js";

interface GroupSizes {
  region: string;
  maximumSize: number;
  desiredCapacity: number;
}

/** A group and its instances other than the app master, which already runs, as resources of a plan. */
export function plannedGroup(
  { region, maximumSize, desiredCapacity }: GroupSizes,
  appMaster: Server,
  imageParameter: string,
): PlannedResource[] {
  const members = { count: desiredCapacity - 1, max_count: maximumSize - 1, role: "app" };
  return [
    { kind: "auto_scaling_group", count: 1, region },
    { ...plannedInstance(appMaster, imageParameter), ...members },
  ];
}
