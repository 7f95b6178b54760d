// A worker of a version that does not know databases and servers yet: it must leave their Requests to those that do.
import { workflows } from "../../../apps/worker/dist/workflows/index.js";

for (const type of [...workflows.keys()]) if (/database|server/.test(type)) workflows.delete(type);
await import("../../../apps/worker/dist/main.js");
