/** What every process may need: programs, folders, language, certificates and proxies. No secret is among them. */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TEMP|TMP|LANG|LANGUAGE|LC_\w+|TZ|CI|NO_COLOR|FORCE_COLOR|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|PIP_\w+|SystemRoot|(https?|no|all)_proxy)$/i;

/**
 * The part of an environment that a child process gets.
 *
 * @param names further variables that this child needs
 */
export function childEnvironment(environment: NodeJS.ProcessEnv, names: readonly string[] = []): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(([name]) => PASSED_ON.test(name) || names.includes(name));
  return Object.fromEntries(passed);
}
