import { type SettingProperty, settingsSchema } from "@gantry/runtime";

interface ChartSchema {
  $defs: {
    settings: { properties: object };
    secrets: { properties: { existingSecret: object } };
    extraEnv: { items: { properties: { name: { not: object } } } };
  };
}

/**
 * Returns the schema of the Helm chart's values with the current settings; the rest of it is written by hand. Settings
 * that are secrets are only in the map of Secrets. The schema lets them pass in the map of settings, because the chart
 * refuses them with a sentence that a schema cannot show.
 */
export function chartSchema(text: string): string {
  const schema = JSON.parse(text) as ChartSchema;
  const { settings, secrets, extraEnv } = schema.$defs;
  const all = Object.entries(settingsSchema().properties);
  settings.properties = Object.fromEntries(all.map(([name, property]) => [name, valueSchema(name, property)]));
  const secretNames = all.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
  secrets.properties = {
    existingSecret: secrets.properties.existingSecret,
    ...Object.fromEntries(secretNames.map((name) => [name, { $ref: "#/$defs/secret" }])),
  };
  extraEnv.items.properties.name.not = { enum: all.map(([name]) => name) };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The schema of a setting's value without the facts that only other pages show. */
function valueSchema(name: string, { isCommon: _, isSecret, ...property }: SettingProperty): object {
  if (isSecret) return { description: `A secret, which is refused here; see secrets.${name}.` };
  const { maximum, ...rest } = property;
  return maximum === Number.MAX_SAFE_INTEGER ? rest : property;
}
