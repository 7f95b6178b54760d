// Sets the chosen theme before the first paint; without a choice, the system decides.
try {
  document.documentElement.dataset.theme = localStorage.getItem("gantry-theme") ?? "";
} catch {}
