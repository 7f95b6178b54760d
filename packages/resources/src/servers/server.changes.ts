import type { Row } from "@gantry/db";
import type { ChangesOf } from "../declarations/changes.js";

const UNDO = "Change the flavor back; a cancel does that until the Request ends.";

/**
 * What AWS changes of a server while it is stopped. AWS states no duration: a stop and a start usually take some minutes.
 * "Change the instance type" in the EC2 User Guide, read in November 2026.
 */
export const serverChanges = {
  flavor: {
    column: "flavor",
    effect:
      "The server stops, and starts again with the same disks and the same private address; its public address changes unless it is an Elastic IP address.",
    awaySeconds: [60, 300],
    undo: UNDO,
  },
} as const satisfies ChangesOf<keyof Row<"server">>;

/** The same for a server that is stopped. */
export const stoppedServerChanges = {
  flavor: { column: "flavor", effect: "The server stays stopped.", undo: UNDO },
} as const satisfies ChangesOf<keyof Row<"server">>;

/** The same if the change waits for the next stop. */
export const pendingServerChanges = {
  flavor: {
    column: "flavor",
    effect: "Nothing happens until Gantry next stops or starts the server.",
    undo: "Until then, modify the server again with the flavor that it has.",
  },
} as const satisfies ChangesOf<keyof Row<"server">>;

const PENDING = {
  column: "flavor" as const,
  effect: "The server gets the flavor that waits for its next stop or start.",
  undo: "Modify the server again with its former flavor.",
};

/** What a stop changes of a server, which is then away until it is started. */
export const stopChanges = {
  state: {
    column: "state",
    effect:
      "The server stops and is away until it is started; its disks and its private address stay, and its public address changes unless it is an Elastic IP address.",
    undo: "Start the server again.",
  },
  flavor: PENDING,
} as const satisfies ChangesOf<keyof Row<"server">>;

/** What a start changes of a stopped server. */
export const startChanges = {
  state: { column: "state", effect: "The server starts, and AWS bills it again.", undo: "Stop the server again." },
  flavor: PENDING,
} as const satisfies ChangesOf<keyof Row<"server">>;
