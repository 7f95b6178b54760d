import { vi } from "vitest";
import { variables } from "./run-environment.js";

// Test files share processes: none gets what another has set. Vitest undoes stubs only before the next test, which would
// also undo what this file sets when it is loaded.
vi.unstubAllEnvs();
vi.restoreAllMocks();
for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
Object.assign(process.env, variables);
