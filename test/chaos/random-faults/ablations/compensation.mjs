import { Ledger } from "../../../../apps/worker/dist/engine/ledger.js";

// A failed or cancelled Request compensates nothing.
Object.assign(Ledger.prototype, { liveObjectsOfRequest: async () => [] });
