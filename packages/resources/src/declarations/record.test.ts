import { z } from "zod";
import { linkBelow, linkTo } from "../declarations/links.js";
import { linkUnder } from "./links.js";
import { wireRecord } from "./record.js";
import { timestamp } from "./timestamps.js";

interface Tool {
  id: number;
  shelfId: string | null;
  hasHandle: boolean;
  boughtAt: Date;
  soldAt: Date | null;
  weightGrams: number;
}

const record = z.object({
  id: z.int(),
  shelf: linkTo("networks").nullable(),
  parts: linkBelow("servers", "parts"),
  has_handle: z.boolean(),
  bought_at: timestamp,
  sold_at: timestamp.nullable(),
  weight: z.string(),
});
const tool = wireRecord({
  name: "tool",
  plural: "tools",
  record,
  computed: ({ weightGrams }: Tool) => ({ weight: `${weightGrams} g` }),
});

const boughtAt = new Date("2026-11-24T09:00:00.500Z");
const row: Tool = { id: 3, shelfId: "a1", hasHandle: true, boughtAt, soldAt: null, weightGrams: 70 };
const link = linkUnder("https://gantry.example");

it("copies columns, writes times as text, and links to records and to what is below them", () => {
  expect(tool.serialize(row, link)).toEqual({
    id: 3,
    shelf: "https://gantry.example/networks/a1",
    parts: "https://gantry.example/servers/3/parts",
    has_handle: true,
    bought_at: "2026-11-24T09:00:00+00:00",
    sold_at: null,
    weight: "70 g",
  });
  expect(tool.serialize({ ...row, shelfId: null }, link).shelf).toBeNull();
});

it("prefers a computed field to a column, and omits one that is undefined", () => {
  const own = { name: "tool", plural: "tools", record: record.partial({ has_handle: true }) };
  const hidden = wireRecord({ ...own, computed: (_row: Tool) => ({ id: 4, has_handle: undefined, weight: "" }) });
  const { id, ...others } = hidden.serialize(row, link);
  expect(id).toBe(4);
  expect("has_handle" in others).toBe(false);
});

it("does not compile without a field that the row does not have in the form of its schema", () => {
  const own = { name: "tool", plural: "tools", record };
  // @ts-expect-error: no column has the weight.
  wireRecord({ ...own, computed: (_row: Tool) => ({}) });
  // @ts-expect-error: the id is a text.
  wireRecord({ ...own, computed: (_row: Omit<Tool, "id"> & { id: string }) => ({ weight: "" }) });
  // @ts-expect-error: the shelf may be null, but not its link.
  wireRecord({ ...own, record: record.extend({ shelf: linkTo("networks") }), computed: (_: Tool) => ({ weight: "" }) });
});
