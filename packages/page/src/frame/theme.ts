const KEY = "pintle-theme";
const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Follows the system theme until the reader chooses one. The choice is stored if the browser allows it. */
export function createTheme(): { current(): Theme; next(): Theme } {
  let theme: Theme = read();
  apply(theme);
  return {
    current: () => theme,
    next() {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
      apply(theme);
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // storage is not allowed here, so the choice lasts as long as the page
      }
      return theme;
    },
  };
}

function apply(theme: Theme): void {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}

function read(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "auto";
  } catch {
    return "auto";
  }
}
