/** Events as leaves, the events that a journal shows, and proofs that one is in a signed stream (audit spec 1.5, 4.6; journal 4.10). */
import { concat, decodeUtf8, equalBytes, utf8 } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { encodeMessage } from '../journal/encode.ts';
import { EVENT_LEAF_TAG, eventSalt, leafHash } from '../journal/leaf.ts';
import type { Journal } from '../journal/record.ts';
import { isWellFormed } from '../journal/text.ts';
import { goBytes, goCompact, goObject, goString } from '../json/gojson.ts';
import { bytes as base64Shape, object, raw, string } from '../json/shape.ts';
import { parseTree } from '../json/tree.ts';
import type { TreeHead } from '../log/head.ts';
import { FAULT_WORDS, inclusionFault } from '../merkle/proof.ts';
import { MerkleTree } from '../merkle/tree.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { type HeadChecker, rootOf } from './heads.ts';
import { readable, redactedFinding } from './journalTree.ts';
import { below, formatFinding, type Reading } from './place.ts';
import type { EventInclusion } from './shapes.ts';

/** An event as it travels beside its proof. */
export interface EventContent {
  readonly kind: string;
  /** The event's JSON. */
  readonly event: Uint8Array;
}

/** The event beside a proof, as a file: `{"kind":…,"event":…}`, the salt as in a leaf allowed and ignored. */
export const eventContentShape = object({ kind: string, event: raw, salt: base64Shape });

/** Leaf data of an event: the tag, then kind, event and salt in MARSHAL mode. The event must be one JSON text. */
export function eventLeafData(content: EventContent, salt: Uint8Array): Uint8Array {
  const event = decodeUtf8(goCompact(content.event, 'MARSHAL')) as string;
  const json = goObject(
    [
      ['kind', goString(content.kind, 'MARSHAL')],
      ['event', event],
      ['salt', goBytes(salt)],
    ],
    'MARSHAL',
  );
  return concat(EVENT_LEAF_TAG, utf8(json));
}

export interface ProjectedEvent extends EventContent {
  /** The record that the event comes from. */
  readonly position: number;
  readonly salt: Uint8Array;
  readonly leafData: Uint8Array;
}

/**
 * The durable events of a journal: assistant turns and completed tools, in journal order, each salted from its record so that the
 * projection is the same every time. Refused where a record was redacted or has no salt.
 */
export function projectEvents(journal: Journal): Reading<readonly ProjectedEvent[]> {
  const findings: Finding[] = journal.records
    .filter((stored) => stored.tombstone !== undefined)
    .map((stored) => redactedFinding(stored, 'be projected to events'));
  const events: ProjectedEvent[] = [];
  const toolNames = new Map<string, string>();
  for (const { position, name, record } of readable(journal)) {
    const members: (readonly [string, string])[] = [];
    if (record.kind === 'model' && record.message !== undefined) {
      for (const part of record.message.parts) if (part.type === 'tool_use') toolNames.set(part.id, part.name);
      members.push(['message', decodeUtf8(encodeMessage(record.message, 'marshal')) as string], ['replayed', 'true']);
    } else if (record.kind === 'tool_result') {
      members.push(
        ['tool_use_id', goString(record.toolUseId, 'MARSHAL')],
        ['name', goString(toolNames.get(record.toolUseId) ?? '', 'MARSHAL')],
        ['result', record.result === undefined ? 'null' : (decodeUtf8(goCompact(record.result, 'MARSHAL')) as string)],
        ['is_error', String(record.isError)],
      );
    } else continue;
    if (record.salt?.length !== 32) {
      findings.push(
        catalogue.find('evidence/journal-unsalted', `record ${position} has no salt of 32 bytes`, {
          where: { entry: name, pointer: `/records/${position}` },
        }),
      );
      continue;
    }
    const content = {
      kind: record.kind === 'model' ? 'assistant_turn' : 'tool_completed',
      event: utf8(goObject(members, 'MARSHAL')),
    };
    const salt = eventSalt(record.salt);
    events.push({ ...content, position, salt, leafData: eventLeafData(content, salt) });
  }
  return findings.length > 0 ? { ok: false, findings } : { ok: true, value: events };
}

/** Produces the inclusion proof of one event of a stream, given its leaves. Throws RangeError for an index outside it. */
export function proveEvent(leaves: readonly Uint8Array[], index: number, salt: Uint8Array): EventInclusion {
  const proof = MerkleTree.ofLeaves(leaves).inclusion(index);
  return { format: FORMAT.eventInclusion, salt, index: proof.index, size: proof.size, path: proof.path };
}

export interface EventReport {
  readonly findings: readonly Finding[];
  readonly inclusion: Verdict;
}

/** Checks an event inclusion proof against a root (audit spec 4.6 steps 1 to 4). */
export function checkEventInclusion(
  proof: EventInclusion,
  content: EventContent,
  root: Uint8Array,
  where: Where = {},
): EventReport {
  // 1.
  const format = formatFinding('event inclusion proof', FORMAT.eventInclusion, proof.format, where);
  if (format !== undefined) return { findings: [format], inclusion: 'undecided' };
  // 2.
  const findings: Finding[] = [];
  if (proof.salt?.length !== 32)
    findings.push(
      catalogue.find('evidence/event-salt', 'the salt of the event is not 32 bytes', {
        where: below(where, 'salt'),
        expected: '32 bytes',
        actual: `${proof.salt?.length ?? 0} bytes`,
      }),
    );
  if (!isWellFormed(content.kind) || !parseTree(content.event).ok)
    findings.push(catalogue.find('evidence/event-unreadable', 'the event is not one JSON text', { where }));
  if (findings.length > 0) return { findings, inclusion: 'undecided' };
  // 3. and 4.
  const leaf = leafHash(eventLeafData(content, proof.salt as Uint8Array));
  const fault = inclusionFault(root, leaf, proof.index, proof.size, proof.path);
  if (fault === undefined) return { findings, inclusion: 'verified' };
  return {
    findings: [
      catalogue.find(
        'evidence/not-included',
        `the event is not leaf ${proof.index} of the signed stream: ${FAULT_WORDS[fault]}`,
        {
          where,
        },
      ),
    ],
    inclusion: 'failed',
  };
}

/** Checks an event proof under the head of its stream: of kind `events`, with the size that the proof names. */
export function checkEventUnderHead(
  proof: EventInclusion,
  content: EventContent,
  head: TreeHead,
  heads: HeadChecker,
  where: { readonly proof: Where; readonly head: Where },
): EventReport & { readonly authorship: Verdict } {
  const report = heads.check(head, where.head);
  const findings: Finding[] = [...report.findings];
  if (!report.usable) return { findings, authorship: report.authorship, inclusion: 'undecided' };
  if (head.kind !== 'events')
    findings.push(
      catalogue.find('evidence/head-kind', 'the head is of another kind of tree', {
        where: below(where.head, 'kind'),
        expected: 'events',
        actual: head.kind,
      }),
    );
  if (head.size !== proof.size)
    findings.push(
      catalogue.find('evidence/proof-size', 'the proof is for a stream of another size than the signed one', {
        where: below(where.proof, 'size'),
        expected: String(head.size),
        actual: String(proof.size),
      }),
    );
  const checked = checkEventInclusion(proof, content, rootOf(head), where.proof);
  const sound = head.kind === 'events' && head.size === proof.size;
  return {
    findings: [...findings, ...checked.findings],
    authorship: report.authorship,
    inclusion: checked.inclusion === 'verified' && !sound ? 'failed' : checked.inclusion,
  };
}

/**
 * Whether stored event leaves are leaves of this version: the tag of today and a salt of 32 bytes (audit spec 1.5, "Refused leaves").
 */
export function storedEventLeafFault(leafData: Uint8Array): string | undefined {
  if (!equalBytes(leafData.subarray(0, EVENT_LEAF_TAG.length), EVENT_LEAF_TAG))
    return 'it does not carry the tag of event leaves of this version';
  const parsed = parseTree(leafData.subarray(EVENT_LEAF_TAG.length));
  const salt =
    parsed.ok && parsed.root.kind === 'object'
      ? parsed.root.members.find(({ name }) => name === 'salt')?.value
      : undefined;
  if (salt?.kind !== 'string') return 'it has no salt';
  return /^[A-Za-z0-9+/]{43}=$/.test(salt.value) ? undefined : 'its salt is not 32 bytes';
}
