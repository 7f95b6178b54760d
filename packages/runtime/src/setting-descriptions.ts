import { z } from "zod";
import { SECTIONS, settings } from "./settings.js";

/** What a reader needs to know about one setting. */
export interface SettingDescription {
  name: string;
  /** Its first sentence says what the setting is. Links are relative to docs/. */
  description: string;
  isRequired: boolean;
  /** The value that an unset variable has, as it would be written in the environment; undefined if there is none. */
  default: string | undefined;
  /** What it accepts, such as "whole number of seconds, greater than 0"; undefined for text of any form. */
  values: string | undefined;
  /** True for the few settings that most installations set. */
  isCommon: boolean;
}

/** A setting's JSON Schema, as far as anything shows it. */
export interface SettingProperty {
  description: string;
  type: string;
  isCommon?: true;
  /** Set if the value is a secret. */
  isSecret?: true;
  default?: string | number;
  enum?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** The unit of a number, by the end of its setting's name. */
const UNITS: [ending: RegExp, unit: string][] = [
  [/_SECONDS$/, " of seconds"],
  [/_HOURS$/, " of hours"],
  [/_DAYS$/, " of days"],
  [/_PER_MINUTE$/, " per minute"],
];

/** Returns the settings by section, in the order of docs/settings.md. Throws if a setting has no description. */
export function describeSettings(): { title: string; settings: SettingDescription[] }[] {
  const { properties, required } = settingsSchema();
  return Object.entries(SECTIONS).map(([title, section]) => ({
    title,
    settings: Object.keys(section).map((name) => {
      const property = properties[name];
      if (!property?.description)
        throw new Error(`${name} has no description; add one in packages/runtime/src/settings.ts`);
      return {
        name,
        description: property.description,
        isRequired: required.includes(name),
        default: property.default?.toString(),
        values: valuesOf(name, property),
        isCommon: property.isCommon ?? false,
      };
    }),
  }));
}

/** Returns the JSON Schema of the settings as the environment has them, before they are parsed. */
export function settingsSchema(): { properties: Record<string, SettingProperty>; required: string[] } {
  return z.toJSONSchema(settings, { io: "input" }) as ReturnType<typeof settingsSchema>;
}

function valuesOf(name: string, property: SettingProperty): string | undefined {
  if (property.enum) return property.enum.map((value) => `\`${value}\``).join(", ");
  if (property.format === "uri") return "URL";
  if (property.type === "string") return undefined;
  const number = property.type === "integer" ? "whole number" : "number";
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1] ?? "";
  return `${number}${unit}${rangeOf(property)}`;
}

function rangeOf({ exclusiveMinimum, minimum, maximum = Number.MAX_SAFE_INTEGER }: SettingProperty): string {
  const hasMaximum = maximum < Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined) return hasMaximum ? ` from ${minimum} to ${maximum}` : `, at least ${minimum}`;
  if (exclusiveMinimum === undefined) return "";
  return `, greater than ${exclusiveMinimum}${hasMaximum ? ` and at most ${maximum}` : ""}`;
}
