import type { Row } from "@gantry/db";
import type { ChangesOf } from "../declarations/changes.js";

const OTHERS = "The group launches or terminates instances other than the app master";
const UNDO = "Change the sizes back; a cancel does that until the Request ends.";

/**
 * What AWS changes of a scaling group. AWS states no duration of a replacement: it contains the first boot. "Use an instance
 * refresh to update instances in an Auto Scaling group" in the EC2 Auto Scaling User Guide, read in November 2026.
 */
export const autoScalingGroupChanges = {
  flavor: {
    column: "flavor",
    effect: "AWS replaces the group's instances by others, except for the app master; the others stay in service.",
    undo: "Change the flavor back, with another replacement; a cancel does that until the Request ends.",
  },
  blueprint_id: {
    column: "blueprintId",
    effect:
      "AWS replaces the group's instances, except for the app master, by others like the blueprint's application server, or like the app master without one.",
    undo: "Change it back to the former blueprint, with another replacement; a cancel does that until the Request ends.",
  },
  minimum_size: { column: "minimumSize", effect: `${OTHERS} if it has fewer.`, undo: UNDO },
  maximum_size: { column: "maximumSize", effect: `${OTHERS} if it has more.`, undo: UNDO },
  desired_capacity: { column: "desiredCapacity", effect: `${OTHERS} until it has that number.`, undo: UNDO },
} as const satisfies ChangesOf<keyof Row<"autoScalingGroup">>;
