import type { Model, Row } from "@gantry/db";
import type { Caller } from "../http/auth/caller.js";
import { type Selection, where } from "../http/rows/rows.js";

type Parent = Parameters<Caller["find"]>[0];
export type ParentOf<M extends Model> = { [P in Parent]: `${P}Id` extends keyof Row<M> ? P : never }[Parent];

/**
 * The rows of a model that belong to a parent, which is named by its model: `{ server: params.server }`.
 *
 * @throws 404 if the caller does not see the parent
 */
export async function childRows<M extends Model, P extends ParentOf<M>>(
  caller: Caller,
  model: M,
  parent: Record<P, string>,
): Promise<Selection<M>> {
  const [[parentModel, parentId]] = Object.entries(parent) as [[P, string]];
  const { id } = (await caller.find(parentModel, parentId)) as { id: string | number };
  return where(model, { [`${parentModel}Id`]: id } as Parameters<typeof where<M>>[1]);
}
