/** A length of time in its two largest units, such as `4 min 12 s`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
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

/** How long ago a time was, such as `3 min ago`. */
export function agoText(ms: number): string {
  if (ms < 5000) return "just now";
  const [first = ""] = /^\d+ \w+/.exec(durationText(Math.max(ms, 10_000))) ?? [];
  return `${first} ago`;
}
