const compiled = new Map<string, RegExp | undefined>();

/**
 * Compiles a pattern of AWS's models, which are Java's regular expressions and must match the whole value. Returns
 * undefined for a pattern without an equivalent in ECMAScript.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern);
}

function compile(pattern: string): RegExp | undefined {
  const [, inline = "", rest = ""] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(pattern) ?? [];
  // The flag `u` knows \p{…} but refuses escapes that need none, such as `\-` outside of a class.
  return tryCompile(rest, `u${inline}`) ?? (rest.includes("\\p{") ? undefined : tryCompile(rest, inline));
}

function tryCompile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`, flags);
  } catch {
    return undefined;
  }
}
