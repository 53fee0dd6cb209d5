// Sets the theme before the first paint. The value is written by src/lib/theme.svelte.ts; without one the system decides.
try {
  const theme = localStorage.getItem('glasshouse.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is off: the system decides.
}
