import { variables } from "./run-environment.js";

// Test files share processes: none gets what another has set.
for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
Object.assign(process.env, variables);
