import type { Model, Row } from "@gantry/db";
import { invalid } from "../errors/errors.js";
import { isValidId, type Order } from "../rows/rows.js";

/** The cursor of the last page of a list whose total is an estimate. */
export const LAST_PAGE = "last";

export interface CursorPosition {
  toward: "next" | "prev";
  at: Date | boolean;
  id: string | number;
}

export type RowPosition = Omit<CursorPosition, "toward">;

export function positionOf<M extends Model>(order: Order<M>, row: Row<M>): RowPosition {
  return { at: order.valueOf(row), id: (row as { id: string | number }).id };
}

export function encodeCursor(toward: CursorPosition["toward"], { at, id }: RowPosition): string {
  return Buffer.from(`${toward} ${typeof at === "boolean" ? at : at.getTime()} ${id}`).toString("base64url");
}

export function decodeCursor<M extends Model>(model: M, { type }: Order<M>, cursor: string): CursorPosition {
  const [toward, at = "", id] = Buffer.from(cursor, "base64url").toString().split(" ");
  const isPosition =
    (toward === "next" || toward === "prev") &&
    (type === "time" ? /^\d{1,15}$/ : /^(true|false)$/).test(at) &&
    isValidId(model, id ?? "");
  if (!isPosition || !id) throw invalid("cursor", "is not a valid cursor; omit it to start from the first page");
  return { toward, at: type === "time" ? new Date(Number(at)) : at === "true", id };
}
