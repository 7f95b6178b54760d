import { Ledger } from "../../../../apps/worker/dist/engine/ledger.js";

// A failed or cancelled Request takes nothing back.
Object.assign(Ledger.prototype, { liveObjectsOfRequest: async () => [] });
