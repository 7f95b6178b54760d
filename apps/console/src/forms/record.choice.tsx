import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { gantry } from "../api.js";
import { Choice, Field } from "../controls/field.js";
import type { OperationField } from "./operation.js";

const MOST = 100;

interface RecordChoiceProps {
  account: string;
  field: OperationField & { records: NonNullable<OperationField["records"]> };
  label: string;
  value: string;
  refusal: string | undefined;
  onChange: (value: string) => void;
}

/** Chooses one of the account's records, the only one by itself; of more than a hundred, by its id. */
export function RecordChoice({ account, field, label, value, refusal, onChange }: RecordChoiceProps) {
  const { path, key, isFiltered } = field.records;
  const { data } = useQuery({
    // The first part is the type in events, so that a new record appears.
    queryKey: [key.replace(/s$/, ""), "list", account, "choice"],
    queryFn: async ({ signal }) => {
      const query = { per_page: MOST, ...(isFiltered && { account }) };
      const { body } = await gantry.call("GET", path.replace("{account}", account), { query, signal });
      return (body as Record<string, ChoosableRecord[]>)[key] ?? [];
    },
  });
  const only = field.isRequired && data?.length === 1 ? String(data[0]?.id) : undefined;
  useEffect(() => {
    if (only !== undefined && value === "") onChange(only);
  });
  const shared = {
    label,
    value,
    refusal,
    hint: field.hint,
    required: field.isRequired,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (data && data.length >= MOST) return <Field {...shared} placeholder="id" />;
  return (
    <Choice {...shared}>
      <option value="">{data ? (field.isRequired ? "Choose one" : "None") : "…"}</option>
      {data?.map((record) => (
        <option key={record.id} value={record.id}>
          {nameOf(record)}
        </option>
      ))}
    </Choice>
  );
}

interface ChoosableRecord {
  id: string | number;
  name?: string | null;
  cidr?: string;
  ip_address?: string | null;
  provisioned_id?: string | null;
  location?: unknown;
}

function nameOf({ id, name, cidr, ip_address, provisioned_id, location }: ChoosableRecord): string {
  const place = typeof location === "string" ? location : undefined;
  return [name ?? cidr ?? ip_address ?? provisioned_id ?? `no. ${id}`, name && cidr, place].filter(Boolean).join(" · ");
}
