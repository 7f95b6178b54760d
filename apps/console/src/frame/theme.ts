const KEY = "gantry-theme";

export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === chosen) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme === "system" ? "" : theme;
}

export function themeName(theme: Theme): string {
  return theme === "system" ? "Theme of the system" : `${theme[0]?.toUpperCase()}${theme.slice(1)} theme`;
}
