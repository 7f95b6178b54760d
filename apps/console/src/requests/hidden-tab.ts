import { useEffect } from "react";
import { cache, gantry } from "../api.js";
import { requestQuery } from "./requests.queries.js";

const HIDDEN_READ_MS = 30_000;

/** Keeps an unfinished Request current while its tab is hidden, and therefore without events. */
export function useReadWhileHidden(id: string, isFinished: boolean): void {
  useEffect(() => {
    if (isFinished) return;
    const read = async () => {
      if (!document.hidden) return;
      // A failed read is repeated by the next one; the events say it once the tab is shown.
      const request = await gantry.requests.get(id).catch(() => undefined);
      if (request) cache.setQueryData(requestQuery(id).queryKey, request);
    };
    const timer = setInterval(() => void read(), HIDDEN_READ_MS);
    return () => clearInterval(timer);
  }, [id, isFinished]);
}
