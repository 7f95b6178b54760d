import type { Request } from "@gantry/client";

/** What a type of Request is called, such as `Provision network`. */
export function titleOf(type: string): string {
  const words = type.replaceAll("_", " ");
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
}

/** The record that a Request works on, such as `network 0190c4a2`. */
export function subjectText({ subject }: Request): string {
  if (!subject) return "";
  const id = String(subject.id);
  return `${subject.type.replaceAll("_", " ")} ${id.length > 12 ? id.slice(-8) : id}`;
}
