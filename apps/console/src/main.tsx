import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { cache } from "./api.js";
import "./controls/tokens.css";
import { router } from "./routes.js";
import { followOneTimeLink } from "./session/one-time-link.js";

const RELOADED = "gantry-reloaded";
const RELOAD_PAUSE_MS = 60_000;

// A deployment has removed a file of the version that this tab runs: the page is loaded again. A file that is missing
// even then must not reload it for ever.
addEventListener("vite:preloadError", () => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_PAUSE_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
});

await followOneTimeLink();
const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>,
  );
