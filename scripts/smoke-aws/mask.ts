/** Fields whose value says nothing about AWS's shapes and may be secret. */
const SECRET_FIELD = /password|secret|token|userdata|fingerprint|publickey/i;

/** The parts of a text that name an account, an object or a machine, with the text that replaces the nth of them. */
const PATTERNS: [part: RegExp, replacement: (n: number, part: string) => string][] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, (n) => `00000000-0000-4000-8000-${pad(n, 12)}`],
  [/\bgantry-smoke-[\da-f]+\b/g, () => "gantry-smoke-00000000"],
  [/(?<=\.)[a-z\d]{10,12}(?=\.[a-z\d-]+\.rds\.)/g, (n) => `c${pad(n, 11)}`],
  [/\bdb-[A-Z\d]{20,}\b/g, (n) => `db-${pad(n, 26)}`],
  [
    /\b(?!gantry-)[a-z]+-(?:[\da-f]{17}|[\da-f]{8})\b(?!-)/g,
    (n, part) => `${part.slice(0, part.indexOf("-"))}-${pad(n, 17)}`,
  ],
  [/(?<![\d-])\d{12}(?!\d)/g, (n) => `9${pad(n, 11)}`],
  [/\b(?:AKIA|ASIA|AROA|AIDA|AIPA|ANPA)[A-Z\d]{12,}\b/g, (n, part) => `${part.slice(0, 4)}${pad(n, 16)}`],
  [/(?<=\b(?:ec2|ip)-)\d{1,3}(?:-\d{1,3}){3}(?=\.)/g, (n) => `192-0-2-${n % 256}`],
  [/(?<![\d.])(?!(?:0|10|127|255)\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, (n) => `192.0.2.${n % 256}`],
];

/**
 * Returns a function that masks secrets, the numbers of accounts, ids, names and public addresses in a value of JSON.
 * Equal parts get equal replacements in all calls, so that references between answers still hold.
 */
export function masker(): (value: unknown) => unknown {
  const known = PATTERNS.map(() => new Map<string, string>());
  const maskText = (text: string) =>
    PATTERNS.reduce((masked, [pattern, replacement], i) => {
      const seen = known[i] as Map<string, string>;
      return masked.replace(pattern, (part) => {
        // An earlier pattern's replacement is masked already.
        if (known.some((map) => [...map.values()].includes(part))) return part;
        const mask = seen.get(part) ?? replacement(seen.size + 1, part);
        seen.set(part, mask);
        return mask;
      });
    }, text);
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    if (value instanceof Date || typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, isSecret(name, field) ? "masked" : mask(field)]),
    );
  };
  return mask;
}

function isSecret(name: string, value: unknown): boolean {
  return SECRET_FIELD.test(name) && typeof value === "string";
}

function pad(n: number, digits: number): string {
  return String(n).padStart(digits, "0");
}
