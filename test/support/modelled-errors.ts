import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const SOURCES = join(import.meta.dirname, "../../apps/worker/src");
const { resolve } = createRequire(join(SOURCES, "index.ts"));

/** The errors that AWS's models name for every operation that the worker's sources import from the SDK. */
export function modelledErrors(): { operation: string; name: string }[] {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const imports = sources.flatMap((file) => [...readFileSync(join(SOURCES, file), "utf8").matchAll(SDK_IMPORT)]);
  const used = new Set(
    imports.flatMap(([, names = "", client = ""]) =>
      [...names.matchAll(/(\w+)Command\b/g)].map(([, name]) => `${client}/${name}`),
    ),
  );
  // The SDK's credential provider makes this call.
  used.add("@aws-sdk/client-sts/AssumeRole");
  return [...used].sort().flatMap((path) => {
    const [operation, client] = [path.slice(path.lastIndexOf("/") + 1), path.slice(0, path.lastIndexOf("/"))];
    return throwsOf(client, operation).map((name) => ({ operation, name }));
  });
}

const SDK_IMPORT = /import \{([^}]*)\} from "(@aws-sdk\/client-[\w-]+)"/g;

/** The SDK documents each command with the errors of its model, and with the base class of its service's errors. */
function throwsOf(client: string, operation: string): string[] {
  const root = join(dirname(resolve(client)), "..");
  const text = readFileSync(join(root, "dist-types/commands", `${operation}Command.d.ts`), "utf8");
  return [...text.matchAll(/@throws \{@link (\w+)\}/g)].flatMap(([, name = ""]) =>
    /ServiceException$/.test(name) ? [] : name,
  );
}
