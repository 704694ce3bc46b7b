/**
 * The open trail: indexes, segments, seals, checkpoints, backfill, and whether each event was listed while something was owed for it
 * (notifications 13.12).
 */
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { CheckContext } from '../context.ts';
import type { OpenTrail, Segment } from '../document.ts';
import { dayNumber, segmentDay, stripTo } from '../keys.ts';
import { type Group, type TrailEvent, toldOfEnd } from '../model.ts';
import { checkpointDifference, OpenFold, type SegmentState } from '../open.ts';
import { isKnownKind, isMalformed, type NotifyRecord, OPEN_KINDS } from '../record.ts';
import { THREE_KINDS } from '../routing.ts';
import { DAY, dayOf, formatDuration } from '../time.ts';

export const OPEN_FIRST_YEAR = 2026;
const FIRST_DAY = dayNumber(`${OPEN_FIRST_YEAR}-01-01`) as bigint;

/** A segment that is supplied or named by an index, with a day. */
interface Known {
  readonly name: string;
  readonly day: bigint;
  readonly segment: Segment | undefined;
}

/** All listings: by group, and the keys listed at the moment, so that a checkpoint costs what it holds and no more. */
class Listings {
  readonly groups = new Map<string, Listing>();
  readonly #current = new Set<string>();

  list(key: string, at: Instant | undefined): void {
    const base = stripTo(key);
    let listing = this.groups.get(base);
    if (listing === undefined) {
      listing = { listed: new Set(), first: undefined, ends: [] };
      this.groups.set(base, listing);
    }
    listing.listed.add(key);
    this.#current.add(key);
    if (at !== undefined && (listing.first === undefined || at < listing.first)) listing.first = at;
  }

  /** Takes a key off; its group's listing ends when no other key of it is listed. */
  end(record: NotifyRecord, segment: string): void {
    const { key, at, index } = record;
    this.#current.delete(key);
    const listing = this.groups.get(stripTo(key));
    if (listing?.listed.delete(key) === true && listing.listed.size === 0)
      listing.ends.push({ at, segment, index, key });
  }

  /** A key that a checkpoint drops ends there without an unwatch; one that it adds is listed from the time it gives. */
  carryOver(checkpoint: NotifyRecord): void {
    const kept = new Set(checkpoint.watching.map(({ key }) => key));
    for (const key of [...this.#current]) {
      if (kept.has(key)) continue;
      this.#current.delete(key);
      this.groups.get(stripTo(key))?.listed.delete(key);
    }
    for (const { key, at } of checkpoint.watching) if (!this.#current.has(key)) this.list(key, at);
  }
}

/** Listings of one group of events on the open trail. */
interface Listing {
  /** Keys listed now. */
  readonly listed: Set<string>;
  /** When the group was first listed. */
  first: Instant | undefined;
  readonly ends: { readonly at: Instant; readonly segment: string; readonly index: number; readonly key: string }[];
}

/** Gives the fold of each supplied segment, by name. */
export function checkOpen(context: CheckContext): ReadonlyMap<string, SegmentState> {
  const { open } = context.document;
  const folds = new Map<string, SegmentState>();
  if (open === undefined) return folds;
  const named = checkIndexes(context, open);
  const known = knownSegments(open, named);
  checkPresence(context, open, known, named);
  const place = new Map(known.map((segment, at) => [segment.name, at]));
  const listings = new Listings();
  const markers: { readonly record: NotifyRecord; readonly segment: string }[] = [];
  const inOrder = [
    ...known.flatMap(({ segment }) => segment ?? []),
    ...open.segments.filter(({ day }) => day === undefined),
  ];
  let firstSupplied: Segment | undefined;
  for (const segment of inOrder) {
    const at = segment.day === undefined ? undefined : place.get(segment.name);
    const walked = walkSegment(
      context,
      segment,
      at === undefined ? undefined : { known, at, complete: open.complete },
      listings,
    );
    folds.set(segment.name, walked.state);
    if (at === undefined) continue;
    firstSupplied ??= segment;
    for (const record of walked.markers) markers.push({ record, segment: segment.name });
    const before = known[at - 1]?.segment;
    const first = segment.records[0];
    const previous = before === undefined ? undefined : folds.get(before.name);
    // 8.
    if (previous !== undefined && first !== undefined && !isMalformed(first) && first.kind === 'checkpoint') {
      const difference = checkpointDifference(previous, first);
      if (difference !== undefined)
        context.notes.add(
          'checkpoint-mismatch',
          `open:${segment.name}`,
          `the checkpoint does not continue the segment before it: ${difference}`,
          { index: 0 },
        );
    }
  }
  checkBackfill(context, firstSupplied, markers);
  checkListings(
    context,
    open,
    listings.groups,
    firstSupplied,
    markers.map(({ record }) => record.at),
  );
  return folds;
}

/** Rules 1 (indexes) and 2. Gives the names of all segments that an index names. */
function checkIndexes({ notes }: CheckContext, open: OpenTrail): ReadonlySet<string> {
  const named = new Set<string>();
  for (const index of open.indexes) {
    const where = `index:${index.name}`;
    if (index.year !== undefined && index.year < OPEN_FIRST_YEAR)
      notes.add(
        'before-first-year',
        where,
        `the index is of ${index.year}; there was no open trail before ${OPEN_FIRST_YEAR}`,
      );
    let last: bigint | undefined;
    for (const record of index.records) {
      const at = record.index;
      if (isMalformed(record))
        notes.add('malformed-record', where, `record ${at} is not usable: ${record.malformed}`, { index: at });
      else if (record.kind !== 'segment')
        notes.add(
          isKnownKind(record.kind) ? 'misplaced-record' : 'unknown-kind',
          where,
          `record ${at} is not of a kind that an index holds`,
          {
            index: at,
            actual: record.kind.slice(0, 80),
          },
        );
      else {
        named.add(record.next);
        const day = segmentDay(record.next);
        const number = dayNumber(day ?? '');
        if (day === undefined || number === undefined) continue;
        if (
          (last !== undefined && number <= last) ||
          (index.year !== undefined && Number(day.slice(0, 4)) !== index.year)
        )
          notes.add(
            'index-order',
            where,
            `record ${at} names a segment whose day is not after the one before it, or not of the index's year`,
            { index: at, actual: day },
          );
        if (last === undefined || number > last) last = number;
      }
    }
  }
  return named;
}

function knownSegments(open: OpenTrail, named: ReadonlySet<string>): readonly Known[] {
  const known = new Map<string, Known>();
  for (const segment of open.segments)
    if (segment.day !== undefined && !known.has(segment.name))
      known.set(segment.name, { name: segment.name, day: segment.day, segment });
  for (const name of named) {
    const day = dayNumber(segmentDay(name) ?? '');
    if (day !== undefined && !known.has(name)) known.set(name, { name, day, segment: undefined });
  }
  return [...known.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.name < b.name ? -1 : 1));
}

/** Rules 1 (segments), 3 and 6. */
function checkPresence(
  { notes }: CheckContext,
  open: OpenTrail,
  known: readonly Known[],
  named: ReadonlySet<string>,
): void {
  for (const { name, day } of open.segments) {
    if (day === undefined)
      notes.add(
        'segment-name',
        `open:${name}`,
        'the name of the segment gives no day, so it takes no part in the order of segments',
      );
    else if (day < FIRST_DAY)
      notes.add(
        'before-first-year',
        `open:${name}`,
        `the segment is from before ${OPEN_FIRST_YEAR}; there was no open trail then`,
      );
  }
  if (open.indexes.length === 0) return;
  const newest = known.at(-1)?.name;
  for (const { name } of open.segments)
    if (!named.has(name))
      notes.add('index-missing-segment', `open:${name}`, 'no index that was given names this segment', {
        severity: name === newest ? 'warning' : 'error',
      });
  if (!open.complete) return;
  const supplied = new Set(open.segments.map(({ name }) => name));
  for (const name of named)
    if (!supplied.has(name))
      notes.add('segment-missing', `open:${name}`, 'an index names this segment, and it was not given');
}

interface Order {
  readonly known: readonly Known[];
  readonly at: number;
  readonly complete: boolean;
}

/** Rules 4 to 7 and 10 over one segment. */
function walkSegment(
  { notes }: CheckContext,
  segment: Segment,
  order: Order | undefined,
  listings: Listings,
): { readonly state: SegmentState; readonly markers: readonly NotifyRecord[] } {
  const where = `open:${segment.name}`;
  const fold = new OpenFold();
  const markers: NotifyRecord[] = [];
  const successor = order?.known[order.at + 1]?.name;
  checkFirst(notes, segment, order, where);
  for (const record of segment.records) {
    const { index } = record;
    // 4.
    if (fold.sealed) {
      notes.add('record-after-seal', where, `record ${index} stands after the seal`, { index });
      fold.add(record);
      continue;
    }
    if (isMalformed(record)) {
      notes.add('malformed-record', where, `record ${index} is not usable: ${record.malformed}`, { index });
      fold.add(record);
      continue;
    }
    const { kind, key, at } = record;
    if (!OPEN_KINDS.has(kind)) {
      notes.add(
        isKnownKind(kind) ? 'misplaced-record' : 'unknown-kind',
        where,
        `record ${index} is not of a kind that a segment holds`,
        { index, actual: kind.slice(0, 80) },
      );
      fold.add(record);
      continue;
    }
    if (record.clockAt !== undefined && record.clockAt > at)
      notes.add(
        'clock-at',
        where,
        `record ${index} is earlier than the clock that wrote it; a time may only be moved later`,
        {
          index,
          expected: `at or after ${formatInstant(record.clockAt)}`,
          actual: formatInstant(at),
        },
      );
    if (segment.day !== undefined && (dayOf(at) === segment.day) === (kind === 'seal'))
      notes.add(
        'open-time',
        where,
        kind === 'seal'
          ? `the seal at record ${index} is of the segment's own day`
          : `record ${index} is not of the segment's day`,
        { index, actual: formatInstant(at) },
      );
    if (kind === 'checkpoint' && index !== 0)
      notes.add('checkpoint-unexpected', where, `the checkpoint at record ${index} is not the first record`, { index });
    if (kind === 'watch' && fold.lists(key))
      notes.add('watch-duplicate', where, `record ${index} lists an event that is listed`, { index });
    if (kind === 'unwatch' && !fold.lists(key))
      notes.add('unwatch-unlisted', where, `record ${index} takes an event off the list that is not on it`, { index });
    if (kind === 'seal') checkSeal(notes, record, successor, where, order !== undefined);
    fold.add(record);
    if (kind === 'backfilled') markers.push(record);
    // 10. Listings go on across segments, also where a checkpoint that should carry them is absent.
    if (kind === 'watch' && key !== '') listings.list(key, at);
    else if (kind === 'unwatch') listings.end(record, segment.name);
    else if (kind === 'checkpoint' && index === 0) listings.carryOver(record);
  }
  // 6.
  if (successor !== undefined && !fold.sealed)
    notes.add('segment-unsealed', where, 'a later segment exists and this one was not sealed', { expected: successor });
  return { state: fold.state, markers };
}

/** Rule 7. */
function checkFirst(notes: CheckContext['notes'], segment: Segment, order: Order | undefined, where: string): void {
  if (order === undefined) return;
  const first = segment.records[0];
  const isCheckpoint = first !== undefined && !isMalformed(first) && first.kind === 'checkpoint';
  if (order.at > 0 && !isCheckpoint)
    notes.add('checkpoint-missing', where, 'the segment continues another and does not begin with a checkpoint');
  if (order.at === 0 && order.complete && isCheckpoint)
    notes.add(
      'checkpoint-unexpected',
      where,
      'the very first segment begins with a checkpoint, although it continues none',
      { index: 0 },
    );
}

/** Rule 5. */
function checkSeal(
  notes: CheckContext['notes'],
  seal: NotifyRecord,
  successor: string | undefined,
  where: string,
  ordered: boolean,
): void {
  const { index, next } = seal;
  if (!ordered || successor === next) return;
  if (successor === undefined)
    notes.add(
      'newest-sealed',
      where,
      `record ${index} seals the newest known segment; the one it names was not given`,
      { index, actual: next.slice(0, 80) },
    );
  else
    notes.add('seal-mismatch', where, `the seal at record ${index} names another segment than the next known one`, {
      index,
      expected: successor,
      actual: next.slice(0, 80),
    });
}

/** Rule 9. */
function checkBackfill(
  { settings, asOf, notes }: CheckContext,
  firstSegment: Segment | undefined,
  markers: readonly { readonly record: NotifyRecord; readonly segment: string }[],
): void {
  const opening = firstSegment?.records[0];
  const carried = opening !== undefined && !isMalformed(opening) && opening.kind === 'checkpoint' ? opening : undefined;
  let passes = carried === undefined ? 0 : carried.backfills > 0 ? carried.backfills : carried.backfilled ? 1 : 0;
  let firstAt = carried?.backfills === 1 ? carried.backfillAt : undefined;
  let window = carried !== undefined && carried.backfillWindow > 0n ? carried.backfillWindow : settings.upgrade_window;
  for (const { record, segment } of markers) {
    const { index } = record;
    const where = `open:${segment}`;
    if (passes === 0) {
      firstAt = record.at;
      if (record.backfillWindow === 0n)
        notes.add(
          'backfill-window',
          where,
          `the first backfill pass at record ${index} does not record the upgrade window`,
          { index },
        );
      else window = record.backfillWindow;
    } else if (passes === 1) {
      // The time may only have been moved later, which would hide an early pass: the writer's own clock decides.
      const at = record.clockAt ?? record.at;
      if (firstAt !== undefined && at < firstAt + window)
        notes.add(
          'backfill-early',
          where,
          `the second backfill pass at record ${index} ran ${formatDuration(firstAt + window - at)} early`,
          {
            index,
            expected: `at or after ${formatInstant(firstAt + window)}`,
            actual: formatInstant(at),
          },
        );
    } else
      notes.add('backfill-excess', where, `record ${index} is backfill pass ${passes + 1}; there are at most two`, {
        index,
      });
    passes++;
  }
  if (passes === 1 && firstAt !== undefined && asOf > firstAt + window + DAY)
    notes.add(
      'backfill-second-missing',
      'open',
      'the second backfill pass, which lists what an older process delivered unlisted, never ran',
      {
        expected: `after ${formatInstant(firstAt + window)}`,
      },
    );
}

/** Rules 11 to 13. */
function checkListings(
  { document, settings, asOf, model, notes }: CheckContext,
  open: OpenTrail,
  listings: ReadonlyMap<string, Listing>,
  firstSupplied: Segment | undefined,
  markers: readonly Instant[],
): void {
  const lastMarker = markers.reduce<Instant | undefined>(
    (last, at) => (last === undefined || at > last ? at : last),
    undefined,
  );
  if (document.role === 'open') return;
  for (const group of model.groups.values()) {
    if (!THREE_KINDS.has(group.kind)) continue;
    const { key } = group;
    const listing = listings.get(key);
    const observed = group.events.reduce<Instant | undefined>(
      (first, { at }) => (first === undefined || at < first ? at : first),
      undefined,
    );
    // 11.
    if (listing === undefined) {
      const covered =
        open.complete ||
        (firstSupplied?.day !== undefined && observed !== undefined && dayOf(observed) >= firstSupplied.day);
      if (covered) notes.add('not-listed', 'open', 'an event whose all-clear may be owed was never listed', { key });
      continue;
    }
    const { first } = listing;
    if (first !== undefined && observed !== undefined && first > observed + settings.clock_skew)
      notes.add(
        'watch-late',
        'open',
        `the event was listed ${formatDuration(first - observed)} after it was observed`,
        {
          key,
          severity: lastMarker !== undefined && lastMarker >= first ? 'info' : 'warning',
          expected: `by ${formatInstant(observed)}`,
          actual: formatInstant(first),
        },
      );
    // 12.
    const settled = settledAt(group);
    // 13.
    for (const end of listing.ends)
      if (settled === undefined || end.at < settled - settings.clock_skew)
        notes.add(
          'unwatch-early',
          `open:${end.segment}`,
          `record ${end.index} takes the event off the list while something was owed for it`,
          {
            index: end.index,
            key: end.key,
            ...(settled === undefined ? {} : { expected: `at or after ${formatInstant(settled)}` }),
            actual: formatInstant(end.at),
          },
        );
    if (listing.listed.size > 0 && settled !== undefined && asOf - settled > settings.all_clear_within)
      notes.add(
        'still-listed',
        'open',
        `nothing has been owed for the event since ${formatInstant(settled)}, and it is still listed`,
        { key },
      );
  }
}

/** When nothing more was owed for a group (rule 12); undefined while something is. */
function settledAt(group: Group): Instant | undefined {
  let latest: Instant | undefined;
  for (const event of [...group.events, ...group.steps]) {
    const at = eventSettledAt(event);
    if (at === undefined) return undefined;
    if (latest === undefined || at > latest) latest = at;
  }
  return latest;
}

function eventSettledAt(event: TrailEvent): Instant | undefined {
  const { claims, cleared } = event.state;
  if (claims.length === 0 && cleared !== undefined) return cleared.at;
  return toldOfEnd(event)?.ackedAt;
}
