const OFF = "gantry-keys-off";
const PAUSE_MS = 1500;

/** The pages that `g` and a letter open. */
export const PLACES_BY_KEY = {
  o: "",
  r: "/requests",
  n: "/networks",
  e: "/environments",
  s: "/servers",
  d: "/databases",
} as const;

export type Shortcut = { open: string } | "palette" | "help" | "filter";

/** Whether keys without Ctrl do something: a person who dictates turns them off. */
export function areKeysOn(): boolean {
  return localStorage.getItem(OFF) === null;
}

export function turnKeys(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "yes");
}

export type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** Returns what follows keys to shortcuts: `Ctrl K`, `?`, `/`, and `g` with a letter soon after it. */
export function shortcutReader(isOn: () => boolean, now: () => number = Date.now) {
  let pressedAt = Number.NEGATIVE_INFINITY;
  return ({ key, ctrlKey, metaKey, altKey }: Key, isTyping: boolean): Shortcut | undefined => {
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") return "palette";
    if (ctrlKey || metaKey || altKey || isTyping || !isOn()) return undefined;
    const isSecond = now() - pressedAt < PAUSE_MS;
    pressedAt = key === "g" ? now() : Number.NEGATIVE_INFINITY;
    if (isSecond && key in PLACES_BY_KEY) return { open: PLACES_BY_KEY[key as keyof typeof PLACES_BY_KEY] };
    if (key === "?") return "help";
    return key === "/" ? "filter" : undefined;
  };
}
