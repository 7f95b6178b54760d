// Finds phrases in comments and docs that plain English has better ones for, and names each with its line and what to
// say instead. With `--literals` it also reads string literals. `cspell.json` does the same for single words. Also names
// long commit subjects, which fail nothing.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const SUBJECT_LENGTH = 72;
const readsLiterals = process.argv.includes("--literals");

/** What to say instead of each phrase. A space stands for any blanks, also at the end of a line. */
const PHRASES = [
  [
    /(?<!\b(?:let|leaves?|left|leaving|stands?) (?:[\w'`]+ ){0,4})\balone(?=[.,;:)]| (?:is|has|can|may|that) )/i,
    "only",
  ],
  [/\bat hand\b(?! over)/, "available, given"],
  [/\bof late(?=[.,;:)]| (?:and|or|that) )/, "recently"],
  [/\b(?:tells?|telling|told) of\b/, "reports, shows"],
  [/\b(?:no|any) such one\b/, "a noun"],
  [/\bbesides(?=[.,;:)])/, "also, in addition"],
  [/\bmend(?:s|ed|ing)?\b/, "fix"],
  [/\bwhere (?:absent|none|empty|missing|unset|undefined)\b/, "if"],
  [
    /\bwhere (?:it is (?:absent|empty|given|missing|no|none|not|set|undefined)|there (?:is|are)|one is|that (?:fails|is))\b/,
    "if",
  ],
  [/\b(?:[Tt]rue|[Ff]alse|[Nn]ull|[Uu]ndefined|[Ee]mpty|throws|rejects|fails|refuses) where\b/, "if"],
  [/(?:^\s*|[.:;] )Where (?:a|an|it|no|nothing|that|there) [^.;]*, /m, "If"],
].map(([phrase, instead]) => [new RegExp(phrase.source.replaceAll(" ", "\\s+"), `g${phrase.flags}`), instead]);

const IGNORED = /(^|\/)generated\/|^docs\/aws\/|^prisma\/migrations\/|(^|\/)CHANGELOG\.md$|^scripts\/check-language\./;
/** Comments are in the first group. Literals and regular expressions match so that nothing in them counts as one. */
const SCRIPT =
  /(\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:[!&|?{};>]\s*|return\s)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;
const COMMENTS = {
  ts: SCRIPT,
  js: SCRIPT,
  mjs: SCRIPT,
  cjs: SCRIPT,
  prisma: /(\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|"(?:\\.|[^"\\\n])*"/g,
  sql: /(--[^\n]*(?:\n[ \t]*--[^\n]*)*)|'[^']*'/g,
};
const blank = (text) => text.replace(/[^\n]/g, " ");

/** Returns the prose of a file, with everything else as blanks, so that positions stay the same. */
function proseOf(file, text) {
  const comments = COMMENTS[file.split(".").pop()];
  if (!comments) return text.replace(/```[\s\S]*?```|`[^`\n]*`/g, blank);
  let prose = "";
  for (const { 0: match, 1: comment, index } of text.matchAll(comments)) {
    if (!comment && !(readsLiterals && /^["'`]/.test(match))) continue;
    const code = comment ? /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/\/?|--)|`[^`\n]*`/gm : /\$\{[^}]*\}/g;
    prose += blank(text.slice(prose.length, index)) + match.replace(code, blank);
  }
  return prose;
}

/** Returns the lines of a command of git; throws an Error if it fails. */
function git(...words) {
  const { status, stdout, stderr } = spawnSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${stderr}`);
  return stdout.split("\n").filter(Boolean);
}

function findPhrases() {
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").filter(
    (file) => /\.(?:ts|[cm]?js|prisma|sql|md)$/.test(file) && !IGNORED.test(file) && existsSync(join(root, file)),
  );
  return files.flatMap((file) => {
    const prose = proseOf(file, readFileSync(join(root, file), "utf8"));
    return PHRASES.flatMap(([phrase, instead]) =>
      [...prose.matchAll(phrase)].map(({ 0: words, index }) => {
        const line = prose.slice(0, index).split("\n").length;
        return `${file}:${line}  "${words.replace(/\s+/g, " ").trim()}": say ${instead}`;
      }),
    );
  });
}

/** Returns the long subjects of the commits that the upstream branch lacks; without one, of the last 20. */
function longSubjects() {
  const upstream = spawnSync("git", ["merge-base", "HEAD", "@{upstream}"], { cwd: root, encoding: "utf8" });
  const range = upstream.status === 0 ? [`${upstream.stdout.trim()}..HEAD`] : ["-20"];
  return git("log", "--format=%h %s", ...range).filter((line) => line.replace(/^\S+ /, "").length > SUBJECT_LENGTH);
}

for (const subject of longSubjects()) console.log(`A commit subject is over ${SUBJECT_LENGTH} characters: ${subject}`);
const findings = findPhrases();
for (const finding of findings) console.log(finding);
process.exitCode = findings.length ? 1 : 0;
