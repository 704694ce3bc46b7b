/** Key sets of a journal, the heads over them, and proofs that a key is not in one (audit spec 4.5). */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { PrivateKey } from '../crypto/signature.ts';
import type { Finding, Where } from '../finding/finding.ts';
import type { Journal, ReadableRecord } from '../journal/record.ts';
import { signHead, type TreeHead } from '../log/head.ts';
import { KeySet } from '../merkle/keySet.ts';
import type { Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { rootOf } from './heads.ts';
import {
  type JournalTree,
  prefixFindings,
  readable,
  redactedFinding,
  unsaltedFindings,
  wrongHead,
} from './journalTree.ts';
import { policyDigestOf } from './payload.ts';
import { below, type Reading } from './place.ts';
import type { AbsenceBundle } from './shapes.ts';

/** A set of keys that every record of a journal may add to. */
export interface KeySetDefinition {
  /** `absence/<name>`. */
  readonly kind: string;
  /** What every key begins with; not empty. */
  readonly prefix: string;
  /** Keys that one record gives, without the prefix. A function of the record alone. */
  project(record: ReadableRecord['record']): readonly string[];
}

/** Calls of tools: asked for, answered, attempted or given up. */
export const TOOL_USE_KEYS: KeySetDefinition = {
  kind: 'absence/tool-use',
  prefix: 'tooluse:',
  project(record) {
    switch (record.kind) {
      case 'model':
        return (record.message?.parts ?? []).flatMap((part) => (part.type === 'tool_use' ? [part.id] : []));
      case 'tool_result':
        return [record.toolUseId];
      case 'attempt':
      case 'saga_fail':
        return record.toolUseId === '' ? [] : [record.toolUseId];
      default:
        return [];
    }
  },
};

/** Policies under which governed actions ran. */
export const USED_POLICY_KEYS: KeySetDefinition = {
  kind: 'absence/policy-used',
  prefix: 'policy_used:',
  project(record) {
    if (record.kind !== 'tool_result') return [];
    const digest = policyDigestOf(record.result);
    return digest === undefined ? [] : [digest];
  },
};

export const KEY_SETS: readonly KeySetDefinition[] = [TOOL_USE_KEYS, USED_POLICY_KEYS];

/** The set that a key belongs to by its prefix. */
export function keySetOf(key: string): KeySetDefinition | undefined {
  return KEY_SETS.find((set) => key.startsWith(set.prefix));
}

/** Why a definition is none (`CONFIG`): a bare kind or an empty prefix. */
export function keySetFault(set: KeySetDefinition): string | undefined {
  if (!set.kind.startsWith('absence/') || set.kind.length === 'absence/'.length)
    return `the kind ${JSON.stringify(set.kind)} is not absence/<name>`;
  return set.prefix === '' ? 'the prefix is empty' : undefined;
}

/** The keys of the first `size` records. Refused where one of them is redacted: a key could be hidden behind it. */
export function projectKeys(journal: Journal, set: KeySetDefinition, size = journal.records.length): Reading<KeySet> {
  const redacted = journal.records.slice(0, size).filter((stored) => stored.tombstone !== undefined);
  const findings = [
    ...redacted.map((stored) => redactedFinding(stored, 'be projected to keys')),
    ...unsaltedFindings(journal, size),
  ];
  if (findings.length > 0) return { ok: false, findings };
  const keys = readable(journal)
    .slice(0, size)
    .flatMap(({ record }) => set.project(record))
    .map((key) => set.prefix + key);
  return { ok: true, value: new KeySet(keys) };
}

/** Signs the head of a key set over the whole journal. Throws RangeError for a set that is not well defined. */
export function signKeySetHead(
  of: JournalTree,
  set: KeySetDefinition,
  key: PrivateKey,
  time: Instant,
): Reading<TreeHead> {
  const fault = keySetFault(set);
  if (fault !== undefined) throw new RangeError(fault);
  const keys = projectKeys(of.journal, set);
  if (!keys.ok) return keys;
  return {
    ok: true,
    value: signHead(
      {
        kind: set.kind,
        run_id: of.journal.run,
        size: keys.value.size,
        root: keys.value.root(),
        timestamp_nanos: time,
        journal: { size: of.tree.size, root: of.tree.root() },
      },
      key,
    ),
  };
}

/**
 * Whether a key-set head was projected honestly from this journal: the source journal's root, and the set projected again. A bundle alone
 * cannot show that.
 */
export function projectionFindings(
  of: JournalTree,
  set: KeySetDefinition,
  head: TreeHead,
  where: Where = {},
): readonly Finding[] {
  const findings: Finding[] = [];
  const { journal } = head;
  if (head.run_id !== of.journal.run)
    findings.push(
      catalogue.find('evidence/head-run', 'the head is of another run than the journal', {
        where,
        expected: of.journal.run,
        actual: head.run_id,
      }),
    );
  if (journal === null) return findings;
  const source = prefixFindings(of, journal, below(where, 'journal'));
  findings.push(...source);
  if (source.length > 0) return findings;
  const keys = projectKeys(of.journal, set, journal.size);
  if (!keys.ok) return [...findings, ...keys.findings];
  if (keys.value.size !== head.size || !equalBytes(keys.value.root(), rootOf(head)))
    findings.push(
      catalogue.find('evidence/projection', 'the signed key set is not the one that the journal gives', {
        where,
        expected: `${keys.value.size} keys with the root ${hex(keys.value.root())}`,
        actual: `${head.size} keys with the root ${hex(rootOf(head))}`,
      }),
    );
  return findings;
}

/** Produces the proof that a key is not in a set (audit spec 4.5, "Produce"). The head is one that the caller authenticated. */
export function proveAbsent(
  of: JournalTree,
  set: KeySetDefinition,
  key: string,
  head: TreeHead,
): Reading<AbsenceBundle> {
  const refuse = (message: string, expected: string, actual: string): Reading<AbsenceBundle> => ({
    ok: false,
    findings: [catalogue.find('evidence/wrong-key-set', message, { expected, actual })],
  });
  if (head.kind !== set.kind) return refuse('the head is of another key set', set.kind, head.kind);
  if (!key.startsWith(set.prefix))
    return refuse('the key is of another key set', `a key that begins ${set.prefix}`, key);
  const findings = wrongHead(projectionFindings(of, set, head));
  if (findings.length > 0) return { ok: false, findings };
  const keys = projectKeys(of.journal, set, head.journal?.size);
  if (!keys.ok) return keys;
  const absence = keys.value.absence(key);
  if (absence === undefined)
    return {
      ok: false,
      findings: [
        catalogue.find('evidence/key-present', 'the key is in the set, so its absence cannot be proven', {
          actual: key,
        }),
      ],
    };
  return {
    ok: true,
    value: {
      format: FORMAT.absence,
      run_id: of.journal.run,
      absence,
      sth: head,
    },
  };
}
