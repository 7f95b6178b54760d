// A process that runs one pass of the retention, as a worker does beside its Requests. Arguments: the database's URL and
// the number of days.
import { connectDb } from "@gantry/db";
import { runRetentionPass } from "../../../apps/worker/dist/retention/retention.js";

const [url, days] = process.argv.slice(2);
const db = connectDb(url, 2);
process.send?.("ready");
await runRetentionPass(db, { days: Number(days) }, new AbortController().signal);
process.on("SIGTERM", () => process.exit());
setInterval(() => {}, 60_000);
