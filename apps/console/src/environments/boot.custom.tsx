import type { Choices } from "../controls/choices.js";
import { Check, Choice, Field } from "../controls/field.js";
import type { CustomShape } from "./boot.configuration.js";

interface CustomShapeFieldsProps {
  value: CustomShape;
  flavors: Choices;
  onChange: (value: CustomShape) => void;
}

/** The counts and flavors of a boot of one's own shape. */
export function CustomShapeFields({ value, flavors, onChange }: CustomShapeFieldsProps) {
  const set = (change: Partial<CustomShape>) => onChange({ ...value, ...change });
  const flavor = (label: string, name: "appFlavor" | "dbFlavor" | "utilFlavor") => (
    <Choice label={label} value={value[name]} onChange={(event) => set({ [name]: event.target.value })}>
      <option value="">The region's default</option>
      {flavors.map(([id, shown]) => (
        <option key={id} value={id}>
          {shown}
        </option>
      ))}
    </Choice>
  );
  const count = { type: "number", max: 100 };
  return (
    <>
      <Field
        {...count}
        min={1}
        label="Application servers"
        value={value.apps}
        onChange={(event) => set({ apps: event.target.value })}
      />
      {flavor("Flavor of application servers", "appFlavor")}
      <Check
        label="A database server"
        checked={value.hasDatabase}
        onChange={(event) => set({ hasDatabase: event.target.checked })}
      />
      {value.hasDatabase && (
        <>
          <Field
            {...count}
            min={0}
            label="Database replicas"
            value={value.replicas}
            onChange={(event) => set({ replicas: event.target.value })}
          />
          {flavor("Flavor of database servers", "dbFlavor")}
        </>
      )}
      <Field
        label="Utility servers"
        hint="Their names, with commas between them"
        value={value.utils}
        placeholder="jobs, mail"
        onChange={(event) => set({ utils: event.target.value })}
      />
      {value.utils.trim() && flavor("Flavor of utility servers", "utilFlavor")}
    </>
  );
}
