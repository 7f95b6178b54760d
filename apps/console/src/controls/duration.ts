/** A length of time in its two largest units, such as `4 min 12 s`: the API's times are whole seconds. */
export function durationText(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole < 1) return "< 1 s";
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

/** How long ago a time was, such as `3 min ago`, or how far ahead it is, such as `in 13 d`. */
export function agoText(ms: number): string {
  if (Math.abs(ms) < 5000) return "just now";
  const [first = ""] = /^\d+ \w+/.exec(durationText(Math.abs(ms))) ?? [];
  return ms < 0 ? `in ${first}` : `${first} ago`;
}
