/** What every process may need: programs, folders, language and certificates. It contains no secret. */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TEMP|TMP|LANG|LANGUAGE|LC_\w+|TZ|CI|NO_COLOR|FORCE_COLOR|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|SystemRoot)$/;

/** What an installer also needs: its settings, and the proxies on its way, either of which may hold a password. */
export const INSTALLER = /^(PIP_\w+|(https?|no|all)_proxy)$/i;

/**
 * The part of an environment that a child process gets.
 *
 * @param needed the names of further variables that this child needs
 */
export function childEnvironment(environment: NodeJS.ProcessEnv, needed = /(?!)/): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(([name]) => PASSED_ON.test(name) || needed.test(name));
  return Object.fromEntries(passed);
}
