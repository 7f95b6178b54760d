import type { Flag } from "./command-table.js";
import { nouns } from "./generated/nouns.js";

const MOST_FLAGS = 6;
const CALL = /`?\b(GET|POST|PUT|PATCH|DELETE) (\/[^\s`;,]*)`?/g;

/** A sentence of the API with commands instead of its calls, and flags instead of the parameters of its queries. */
export async function inCommands(sentence: string): Promise<string> {
  const commands = new Map<string, string>();
  for (const [call, method = "", path = ""] of sentence.matchAll(CALL))
    commands.set(call, (await commandFor(method, path)) ?? call);
  return sentence
    .replace(CALL, (call) => commands.get(call) ?? call)
    .replace(/\?([a-z_]+)=true\b/g, (_, name: string) => `--${name.replaceAll("_", "-")}`)
    .replace(/\bToo (big|small): expected \w+ to be [<>]=(\S+)/g, (_, size: string, limit: string) =>
      size === "big" ? `must be at most ${limit}` : `must be at least ${limit}`,
    );
}

/**
 * What the API says about a parameter, with the flags that the parameter and its members are.
 *
 * @param given the words of the command line: of the members, those that it names are meant
 */
export async function aboutFlags(
  { path, message }: { path: string; message: string },
  flags: readonly Flag[],
  given: readonly string[] = [],
): Promise<string> {
  const sentence = message.startsWith(path) ? message.slice(path.length).replace(/^: /, "") : message;
  const own = flags.find((flag) => flag.path.join(".") === path);
  const inner = flags.filter((flag) => flag.path.join(".").startsWith(`${path}.`));
  const used = inner.filter(({ name }) => given.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)));
  const subject = own ? [own] : used.length > 0 ? used : inner.length <= MOST_FLAGS ? inner : [];
  const text = sentence.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => {
    const member = inner.find((flag) => flag.path.at(-1) === word);
    return member ? textOf(member) : word;
  });
  return `${subject.map(textOf).join(", ") || path}: ${await inCommands(text)}`;
}

/** The flags of which one is missing, for an object of the input that is missing. */
export function missingFlags(path: string, flags: readonly Flag[]): string[] {
  return flags.filter((flag) => `${flag.path.join(".")}.`.startsWith(`${path}.`)).map(textOf);
}

function textOf({ name, isSecret }: Flag): string {
  return `--${name}${isSecret ? "-stdin" : ""}`;
}

/** `GET /networks/3` → `gantry networks show 3` */
async function commandFor(method: string, path: string): Promise<string | undefined> {
  const parts = path.replace(/[?#].*/, "").split("/");
  for (const [noun, { load }] of Object.entries(nouns)) {
    for (const [verb, facts] of Object.entries((await load()).noun)) {
      const pattern = facts.path.split("/");
      const fits = pattern.every((part, index) => part === parts[index] || (part.startsWith("{") && parts[index]));
      if (facts.method !== method || pattern.length !== parts.length || !fits) continue;
      const ids = facts.ids.map(({ name }) => parts[pattern.indexOf(`{${name}}`)]?.replace(/^:(.*)/, idWord));
      return ["gantry", noun, verb, ...ids].join(" ");
    }
  }
  return undefined;
}

/** `:provider` → `PROVIDER` */
function idWord(_: string, name: string): string {
  return name.replace(/_id$/, "").toUpperCase();
}
