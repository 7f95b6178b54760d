import { z } from "zod";
import { change, discover, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const serverRequestTypes = {
  provision_server: {
    ...provision,
    title: "Provision server",
    cancelledByRemoval: true,
    uses: { addressId: "address" },
    input: z.object({ addressId: z.int().nullable() }),
    children: ["provision_default_firewall"],
    stages: ["server.prepare", "server.launch", "server.attach", "server.bootstrapped"],
    deadlineMinutes: 90,
    creates: ["image", "instance", "volume"],
  },
  deprovision_server: {
    ...remove,
    title: "Deprovision server",
    removesRecord: "server",
    // Whether the environment may be left without an application server, for a retry.
    input: z.object({ force: z.boolean().default(true) }),
    stages: ["server.release", "server.terminate", "alerts.finish"],
    removes: ["instance", "image", "volume"],
  },
  instance_update: {
    ...change,
    title: "Instance update",
    input: z.object({ action: z.enum(["apply", "start", "stop", "reboot"]) }),
    stages: ["update", "keys"],
    keepsResource: false,
    quiet: true,
  },
  modify_server: {
    ...change,
    title: "Modify server",
    // A failed or cancelled one gives the server its former flavor, and starts it if it ran.
    onFailure: "compensate",
    input: z.object({ flavor: z.string(), apply: z.enum(["now", "next-stop"]) }),
    stages: ["server.stop", "server.modify", "server.start"],
    deadlineMinutes: 60,
  },
  discover_server: {
    ...discover,
    title: "Discover server",
    stages: ["reconcile"],
  },
  snapshot_server: {
    ...provision,
    title: "Snapshot server",
    uses: { snapshotIds: "snapshot" },
    input: z.object({ snapshotIds: z.array(z.int()).min(1) }),
    stages: ["snapshots.perform"],
    deadlineMinutes: 720,
    insteadOfRetry: "take another snapshot",
    creates: ["snapshot"],
  },
} as const satisfies RequestTypeDefinitions;
