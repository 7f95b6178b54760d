import { z } from "zod";
import { field } from "./fields.js";

/** How a value of a record changes in AWS while the record stands. */
export interface ValueChange {
  /** The column that holds the value. */
  readonly column: string;
  /** What happens to the resource meanwhile, and what AWS does afterwards; one sentence. */
  readonly effect: string;
  /** The seconds for which the resource is usually away, at least and at most; absent if it stays available. */
  readonly awaySeconds?: readonly [least: number, most: number];
  /** How the change is taken back. */
  readonly undo: string;
}

/** The values of a resource that change in place, by their names in the API. */
export type ChangesOf<Column extends string = string> = Readonly<
  Record<string, ValueChange & { readonly column: Column }>
>;

/** A change as a plan shows it. */
export const plannedChange = z
  .object({
    field: field(z.string(), "size"),
    from: z.union([z.string(), z.number(), z.boolean()]).nullable().describe("The value now"),
    to: z.union([z.string(), z.number(), z.boolean()]).nullable().describe("The value afterwards"),
    effect: field(z.string(), "The volume stays available."),
    away_seconds: z
      .object({ least: field(z.int(), 60), most: field(z.int(), 300) })
      .nullable()
      .describe("For how long the resource is usually away; null if it stays available"),
    undo: field(z.string(), "AWS never shrinks a volume."),
  })
  .meta({ id: "PlannedChange" });

export type PlannedChange = z.infer<typeof plannedChange>;

type Value = PlannedChange["from"];

/** The changes between a row and the values that it would have. */
export function plannedChanges(
  declared: ChangesOf,
  row: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): PlannedChange[] {
  return Object.entries(declared).flatMap(([name, { column, effect, awaySeconds, undo }]) => {
    const [from, to] = [row[column] ?? null, wanted[column] ?? null] as Value[];
    if (!(column in wanted) || from === to) return [];
    const away = awaySeconds && { least: awaySeconds[0], most: awaySeconds[1] };
    return [{ field: name, from: from as Value, to: to as Value, effect, away_seconds: away ?? null, undo }];
  });
}
