import { proxyActivities } from "@temporalio/workflow";
import { createNetwork } from "./network.mjs";

// The limit is that of Temporal's own examples; without a limit it refuses to start an activity.
const { send } = proxyActivities({ startToCloseTimeout: "1 minute" });

export const network = (id) => createNetwork(id, (calls) => Promise.all(calls.map((call) => send(call))));
