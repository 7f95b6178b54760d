import { medianOf } from "../statistics.js";
import type { PeerFigures } from "./measure.js";

const [WIDTH, ROW, TOP] = [780, 36, 92];
/** The columns' left edges: the engine, the bars of what went wrong, what it was, and two figures. */
const AT = { engine: 16, bars: 150, wrong: 366, takeover: 596, alone: 690 };
const BARS_WIDTH = 200;

interface Row {
  engine: string;
  rounds: PeerFigures[];
}

/** Draws what a `kill -9` amid many networks did to each engine, as an SVG that follows the reader's theme. */
export function pictureOf(rows: Row[], networks: number, note: string): string {
  const wrongs = rows.map(({ rounds }) => wrongOf(rounds));
  const most = Math.max(1, ...wrongs.map(sumOf));
  const height = TOP + rows.length * ROW + 34;
  const lines = rows.flatMap(({ engine, rounds }, row) => {
    const y = TOP + row * ROW;
    const wrong = wrongs[row] as Wrong;
    return [
      text(AT.engine, y, engine, engine === "gantry" ? "strong" : ""),
      ...barsOf(wrong, y, BARS_WIDTH / most),
      text(AT.wrong, y, wordsOf(wrong), sumOf(wrong) === 0 ? "good" : ""),
      text(AT.takeover, y, takeoverOf(rounds)),
      text(AT.alone, y, `${medianOf(rounds.map(({ aloneMs }) => aloneMs)).toFixed(0)} ms`),
    ];
  });
  const title = `A worker is killed amid ${networks} networks: what is wrong three minutes later`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>
  text { font: 14px system-ui, sans-serif; fill: #1a1f29; }
  .title { font-size: 17px; font-weight: 600; } .small { font-size: 12px; fill: #566072; }
  .strong { font-weight: 700; } .good { fill: #19703f; font-weight: 600; }
  .twice { fill: #b3261e; } .failed { fill: #d98a1f; } .open { fill: #8d96a5; } .none { fill: #19703f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9ef; } .small { fill: #a0a9b8; } .good { fill: #63d297; }
  }
</style>
${text(AT.engine, 28, title, "title")}
${text(AT.takeover, 62, "goes on after", "small")}
${text(AT.alone, 62, "alone", "small")}
${lines.join("\n")}
${text(AT.engine, height - 12, note, "small")}
</svg>
`;
}

type Wrong = Pick<PeerFigures, "extraObjects" | "failed" | "unfinished">;

function wrongOf(rounds: PeerFigures[]): Wrong {
  const sum = (name: keyof Wrong) => rounds.reduce((total, round) => total + round[name], 0);
  return { extraObjects: sum("extraObjects"), failed: sum("failed"), unfinished: sum("unfinished") };
}

function sumOf({ extraObjects, failed, unfinished }: Wrong): number {
  return extraObjects + failed + unfinished;
}

function wordsOf({ extraObjects, failed, unfinished }: Wrong): string {
  const parts = [
    extraObjects > 0 && `${extraObjects} objects twice`,
    failed > 0 && `${failed} failed`,
    unfinished > 0 && `${unfinished} still open`,
  ].filter(Boolean);
  return parts.join(", ") || "nothing";
}

function barsOf({ extraObjects, failed, unfinished }: Wrong, y: number, unit: number): string[] {
  let x = AT.bars;
  const bar = (count: number, name: string) => {
    const width = count * unit;
    x += width;
    return width > 0
      ? [`<rect class="${name}" x="${(x - width).toFixed(1)}" y="${y - 13}" width="${width.toFixed(1)}" height="16"/>`]
      : [];
  };
  const bars = [...bar(extraObjects, "twice"), ...bar(failed, "failed"), ...bar(unfinished, "open")];
  return bars.length > 0 ? bars : [`<circle class="none" cx="${AT.bars + 6}" cy="${y - 5}" r="6"/>`];
}

function takeoverOf(rounds: PeerFigures[]): string {
  const times = rounds.flatMap(({ takeoverMs }) => takeoverMs ?? []);
  return times.length < rounds.length ? "> 120 s" : `${(medianOf(times) / 1000).toFixed(1)} s`;
}

function text(x: number, y: number, words: string, name = ""): string {
  return `<text x="${x}" y="${y}"${name && ` class="${name}"`}>${words}</text>`;
}
