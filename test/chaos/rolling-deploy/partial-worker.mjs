// A worker without the workflows of databases and servers. It must leave their Requests to other workers.
import { workflows } from "../../../apps/worker/dist/workflows/index.js";

for (const type of [...workflows.keys()]) if (/database|server/.test(type)) workflows.delete(type);
await import("../../../apps/worker/dist/main.js");
