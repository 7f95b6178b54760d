// Runs a test file with jest-circus, in the process and with the modules that the files before it have used.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import runWithCircus from "jest-circus/runner";

const require = createRequire(import.meta.url);
const run = runWithCircus.default ?? runWithCircus;
let files = 0;

/** What Jest's option `testRunner` expects. */
export default async function runInProcess(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const ownRuntime = Object.assign(Object.create(runtime), {
    requireInternalModule: requireAnew,
    requireModule: require,
    setGlobalsForRuntime: () => Object.assign(globalThis, { jest: jestOf(environment) }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: importAnew,
  });
  try {
    return await run(globalConfig, config, environment, ownRuntime, testPath, sendMessageToJest);
  } finally {
    forgetTests();
  }
}

/** Node loads a module once for each URL: test files and set-up files, and only these, run each time. */
function importAnew(path) {
  files += 1;
  return import(`${pathToFileURL(path)}?${files}`);
}

/** The state of jest-circus begins with its module. */
function requireAnew(path) {
  delete require.cache[path];
  return require(path);
}

/** Removes what jest-circus keeps of a file in globals, so that neither its hooks nor its tests reach the next one. */
function forgetTests() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (["JEST_STATE_SYMBOL", "EVENT_HANDLERS"].includes(symbol.description)) delete globalThis[symbol];
}

/** The part of the object `jest` that makes sense without a realm; modules are never mocked. */
function jestOf({ moduleMocker, fakeTimersModern: timers }) {
  return {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    replaceProperty: moduleMocker.replaceProperty.bind(moduleMocker),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    setSystemTime: (now) => timers.setSystemTime(now),
  };
}
