import type { Request } from "@gantry/client";
import { titleOf } from "../controls/title.js";

const MARKS: Partial<Record<Request["state"], string>> = { finished: "✓", failed: "✕", cancelled: "✕" };

/** The title of a Request's tab, which a person reads while another tab is shown. */
export function tabTitle({ state, type }: Pick<Request, "state" | "type">): string {
  return `${MARKS[state] ?? "…"} ${state.replaceAll("_", " ")} · ${titleOf(type)}`;
}
