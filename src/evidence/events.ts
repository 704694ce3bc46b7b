/** Events as leaves, the events that a journal shows, and proofs that one is in a signed stream (audit spec 1.5, 4.6; journal 4.10). */
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { eventSalt, leafHash } from '../journal/leaf.ts';
import { eventLeafData, projectEvents } from '../journal/project.ts';
import type { Journal } from '../journal/record.ts';
import { isWellFormed } from '../journal/text.ts';
import { goCompact } from '../json/gojson.ts';
import { bytes as base64Shape, object, raw, string } from '../json/shape.ts';
import { parseTree } from '../json/tree.ts';
import type { TreeHead } from '../log/head.ts';
import { FAULT_WORDS, inclusionFault } from '../merkle/proof.ts';
import { MerkleTree } from '../merkle/tree.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { type HeadChecker, rootOf } from './heads.ts';
import { redactedFinding } from './journalTree.ts';
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

export interface SaltedEvent extends EventContent {
  /** The record that the event comes from. */
  readonly position: number;
  readonly salt: Uint8Array;
  readonly leafData: Uint8Array;
}

/**
 * The durable events of a journal with their leaves, each salted from its record so that the projection is the same every time. Refused
 * where a record was redacted, or one that is projected has no salt.
 */
export function durableEvents(journal: Journal): Reading<readonly SaltedEvent[]> {
  const findings: Finding[] = journal.records
    .filter((stored) => stored.tombstone !== undefined)
    .map((stored) => redactedFinding(stored, 'be projected to events'));
  const events: SaltedEvent[] = [];
  for (const { kind, position, json } of findings.length > 0 ? [] : projectEvents(journal)) {
    const recordSalt = journal.records[position]?.record?.salt;
    if (recordSalt?.length !== 32) {
      findings.push(
        catalogue.find('evidence/journal-unsalted', `record ${position} has no salt of 32 bytes`, {
          where: { pointer: `/records/${position}` },
        }),
      );
      continue;
    }
    const salt = eventSalt(recordSalt);
    events.push({ kind, event: json, position, salt, leafData: eventLeafData(kind, json, salt) });
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
  const leaf = leafHash(eventLeafData(content.kind, goCompact(content.event, 'MARSHAL'), proof.salt as Uint8Array));
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
