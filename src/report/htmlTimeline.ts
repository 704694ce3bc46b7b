/**
 * The timeline of an input, drawn: a rail with one track for each branch, run, call or receiver, a shape for what happened and a colour and
 * a word for whether it holds. Each row draws its own piece of the rail, so that the drawing wraps, prints and is read row by row.
 */
import type { TimelineRow } from '../verify/kind.ts';
import { mark, text } from './markup.ts';

/** Rows that are drawn; the JSON report holds them all. */
const ROWS = 500;
/** Tracks of the rail; what happened on further ones is drawn on the last. */
const TRACKS = 8;
const STEP = 18;
/** Where the shape of a row stands, from its top. */
const LEVEL = 17;

const WORDS = { verified: 'holds', failed: 'does not hold', undecided: 'not proven' } as const;

type Shape = 'circle' | 'square' | 'diamond' | 'triangle' | 'ring' | 'dot';
const SHAPE: Readonly<Record<string, Shape>> = {
  response: 'circle',
  call: 'square',
  dispatch: 'square',
  output: 'square',
  decision: 'diamond',
  approval: 'diamond',
  notification: 'triangle',
  run: 'ring',
  link: 'ring',
};

/** The drawn timeline; nothing where nothing happened. */
export function timeline(rows: readonly TimelineRow[]): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, ROWS);
  const tracks = new Tracks(shown);
  let day = '';
  let lane: string | undefined;
  const items = shown.map((row, index) => {
    const when = clock(row.time, day);
    day = when.day;
    const named = tracks.lanes > 1 && row.lane !== lane ? (row.lane ?? '') : '';
    lane = row.lane;
    const type = row.type.replace(/[^a-z_-]/g, '');
    return `<li><div class="when">${when.html}</div>${tracks.draw(index)}<div class="what"><span class="tag">${text(row.type.replaceAll('_', ' '))}</span> <span class="${type}">${text(row.text)}</span>${row.tier === undefined ? '' : ` <span class="tier">${text(row.tier)}</span>`}${row.verdict === undefined ? '' : ` ${mark(row.verdict, WORDS)}`}${named === '' ? '' : `<span class="lane">${row.from === undefined ? '' : `leaves ${text(row.from)}: `}${text(named)}</span>`}</div></li>`;
  });
  return `<h3>What happened</h3>
${legend(shown)}<ol class="timeline">${items.join('\n')}</ol>${rows.length > ROWS ? `<p>${rows.length - ROWS} later rows are in the JSON report.</p>` : ''}`;
}

/** Which shape stands for what, of those that are there. */
function legend(rows: readonly TimelineRow[]): string {
  const types = new Map<Shape, Set<string>>();
  for (const { type } of rows) {
    const shape = shapeOf(type);
    if (shape !== 'dot') types.set(shape, (types.get(shape) ?? new Set()).add(type));
  }
  if (types.size < 2) return '';
  const items = [...types].map(
    ([shape, names]) =>
      `<li><svg width="18" height="18" aria-hidden="true">${draw(shape, 9, 9)}</svg> ${text([...names].join(', '))}</li>`,
  );
  return `<ul class="legend" aria-label="Shapes of the timeline">${items.join('')}</ul>`;
}

/** The day is told where it begins, then the time of the day alone. */
function clock(time: string | null, day: string): { readonly html: string; readonly day: string } {
  if (time === null) return { html: '', day };
  const match = /^(\d{4}-\d\d-\d\d)T(.+)$/.exec(time);
  const [, date = '', rest = ''] = match ?? [];
  if (match === null) return { html: text(time), day };
  return {
    html: `<time datetime="${text(time)}">${date === day ? '' : `<span class="day">${date}</span> `}${text(rest)}</time>`,
    day: date,
  };
}

function shapeOf(type: string): Shape {
  return Object.hasOwn(SHAPE, type) ? (SHAPE[type] as Shape) : 'dot';
}

function draw(shape: Shape, x: number, y: number, verdict = ''): string {
  const tone = `class="shape ${verdict}"`;
  switch (shape) {
    case 'circle':
      return `<circle ${tone} cx="${x}" cy="${y}" r="6"/>`;
    case 'ring':
      return `<circle class="ring ${verdict}" cx="${x}" cy="${y}" r="5"/>`;
    case 'square':
      return `<rect ${tone} x="${x - 5}" y="${y - 5}" width="10" height="10"/>`;
    case 'diamond':
      return `<path ${tone} d="M${x} ${y - 7}l7 7l-7 7l-7-7z"/>`;
    case 'triangle':
      return `<path ${tone} d="M${x} ${y - 7}l7 12h-14z"/>`;
    case 'dot':
      return `<circle ${tone} cx="${x}" cy="${y}" r="3"/>`;
  }
}

/** The tracks of a rail: which row begins and ends each, and where a track leaves another one. */
class Tracks {
  readonly #rows: readonly TimelineRow[];
  readonly #trackOf = new Map<string, number>();
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  /** Lanes in all. */
  readonly lanes: number;

  constructor(rows: readonly TimelineRow[]) {
    this.#rows = rows;
    rows.forEach(({ lane = '' }, index) => {
      const track = this.#trackOf.get(lane) ?? Math.min(this.#trackOf.size, TRACKS - 1);
      this.#trackOf.set(lane, track);
      this.#first[track] ??= index;
      this.#last[track] = index;
    });
    this.lanes = this.#trackOf.size;
    // A track goes on at least to where another one leaves it.
    rows.forEach(({ from }, index) => {
      const track = from === undefined ? undefined : this.#trackOf.get(from);
      if (track !== undefined) this.#last[track] = Math.max(this.#last[track] as number, index);
    });
  }

  /** The rail of one row. */
  draw(index: number): string {
    const { lane = '', from, type, verdict = '' } = this.#rows[index] as TimelineRow;
    const own = this.#trackOf.get(lane) as number;
    const source = from === undefined ? undefined : this.#trackOf.get(from);
    const parts: string[] = [];
    this.#first.forEach((first, track) => {
      const last = this.#last[track] as number;
      if (index < first || index > last || first === last) return;
      const begins = index === first ? ` y1="${LEVEL}"` : ' y1="0"';
      // Where another track leaves the end of this one, the line ends in the bend.
      const ends = index === last ? ` y2="${track === own ? LEVEL : 0}"` : ' y2="100%"';
      if (!(index === last && track !== own)) parts.push(`<line x1="${at(track)}" x2="${at(track)}"${begins}${ends}/>`);
    });
    if (source !== undefined && source !== own)
      parts.push(
        `<path class="bend" d="M${at(source)} 0C${at(source)} ${LEVEL - 3} ${at(own)} 3 ${at(own)} ${LEVEL}"/>`,
      );
    parts.push(draw(shapeOf(type), at(own), LEVEL, verdict));
    return `<div class="rail t${this.#first.length}"><svg aria-hidden="true">${parts.join('')}</svg></div>`;
  }
}

function at(track: number): number {
  return track * STEP + STEP / 2;
}
