import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { cache } from "./api.js";
import "./controls/tokens.css";
import { router } from "./routes.js";
import { followOneTimeLink } from "./session/one-time-link.js";

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
