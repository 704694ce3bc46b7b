/** Everything that the demonstration is made of, as files: records, heads, proofs, notifications, trust, keys and the bundle over them. */

import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { packageShape } from '../../src/evidence/shapes.ts';
import { readExport } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { writeConsistency } from '../../src/log/consistency.ts';
import { headShape, signedBytes, type TreeHead } from '../../src/log/head.ts';
import {
  contentOf,
  type SessionHead,
  sessionHeadBytes,
  sessionHeadShape,
  signSessionHead,
} from '../../src/log/sessionHead.ts';
import { renderJson } from '../../src/report/json.ts';
import { readSession } from '../../src/session/read.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { type MadeBundle, makeBundle } from '../../src/verify/bundleMake.ts';
import type { InsideFile } from '../../src/verify/bundleRun.ts';
import { companyRoot, identitySections, revocationLists } from './certificates.ts';
import { certifiedJournal, headOver } from './journal.ts';
import { type Cast, cast, trustFile } from './keys.ts';
import { demoSession } from './session.ts';
import { revocationList, stamp, timeRoot } from './timestamps.ts';
import { demoTrail, demoTrailHead } from './trail.ts';

export const SIGNED_AT = '2026-10-13T12:10:00Z';
export const STAMPED_AT = '2026-10-13T12:10:03Z';
export const MADE_AT = '2026-11-30T09:00:00Z';

export interface DemoCase {
  readonly cast: Cast;
  /** Files by the name that they have in the folder of the demonstration. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly inside: readonly InsideFile[];
  readonly bundle: MadeBundle;
}

function instant(text: string): bigint {
  const value = parseInstant(text);
  if (value === undefined) throw new Error(`${text} is no time`);
  return value;
}

export async function demoCase(): Promise<DemoCase> {
  const people = await cast();
  const session = utf8(demoSession());
  const { bytes: journal, head: decisions } = certifiedJournal(people);
  const sessionHeadFile = sessionHead(session, people);
  const log = headOver(journal, SIGNED_AT, people);
  const anchors = [base64(timeRoot), base64(companyRoot)];
  const bela = people.approvers.get('bela');
  const trust = utf8(trustFile(people, anchors, { ...identitySections, approvers: { bela: bela?.public } }));
  const inside: InsideFile[] = [
    { path: 'inputs/session.jsonl', role: 'input', bytes: session },
    { path: 'inputs/journal.json', role: 'input', bytes: journal },
    { path: 'inputs/payment.json', role: 'input', bytes: payment(journal, people) },
    { path: 'inputs/notifications.json', role: 'input', bytes: demoTrail() },
    { path: 'heads/session-head.json', role: 'head', bytes: encode(sessionHeadShape, sessionHeadFile) },
    { path: 'heads/decisions-head.json', role: 'head', bytes: encode(headShape, decisions) },
    { path: 'heads/journal-growth.json', role: 'head', bytes: growth(journal, decisions, log) },
    { path: 'heads/journal-head.json', role: 'head', bytes: encode(headShape, log) },
    {
      path: 'heads/notifications-head.json',
      role: 'head',
      bytes: demoTrailHead(people.log.key, instant('2026-10-13T12:15:00Z')),
    },
    {
      path: 'companions/session-head.tst',
      role: 'companion',
      bytes: stamp(sessionHeadBytes(sessionHeadFile), STAMPED_AT),
    },
    { path: 'companions/journal-head.tst', role: 'companion', bytes: stamp(signedBytes(log), STAMPED_AT) },
    {
      path: 'companions/time-authority.crl',
      role: 'companion',
      bytes: revocationList('2026-10-13T00:00:00Z', '2026-10-14T00:00:00Z'),
    },
    ...revocationLists().map(
      ({ name, der }): InsideFile => ({ path: `companions/${name}.crl`, role: 'companion', bytes: der }),
    ),
    { path: 'trust/trust.json', role: 'trust', bytes: trust },
  ];
  const bundle = await makeBundle(
    inside,
    { at: instant(MADE_AT), require: null, expectIds: [] },
    people.maker.key,
    renderJson,
  );
  const short = ({ path, role }: InsideFile) =>
    `${role === 'companion' ? 'archive/' : ''}${path.slice(path.indexOf('/') + 1)}`;
  const files = new Map(inside.map((file) => [short(file), file.bytes]));
  files.set('log.key', utf8(`${people.log.secret}\n`));
  files.set('maker.key', utf8(`${people.maker.secret}\n`));
  files.set('refund.bundle', bundle.bytes);
  return { cast: people, files, inside, bundle };
}

function sessionHead(session: Uint8Array, { log }: Cast): SessionHead {
  const { session: read } = readSession(memorySource(session));
  const content = read === undefined ? undefined : contentOf(read);
  if (content === undefined) throw new Error('the session of the demonstration does not read');
  return signSessionHead(content, instant(SIGNED_AT), log.key);
}

/** The proof that the later head of the journal continues the earlier one. */
function growth(bytes: Uint8Array, from: TreeHead, to: TreeHead): Uint8Array {
  const { journal } = readExport(bytes);
  const tree = journal === undefined ? undefined : treeOfJournal(journal).tree;
  const file =
    tree === undefined ? undefined : writeConsistency({ heads: [from, to] }, tree.consistency(from.size, to.size).path);
  if (file === undefined) throw new Error('the heads of the demonstration do not follow from each other');
  return file;
}

/** The payment with its proof, for a reader who may not see the whole journal. */
function payment(bytes: Uint8Array, people: Cast): Uint8Array {
  const { journal } = readExport(bytes);
  if (journal === undefined) throw new Error('the journal of the demonstration does not read');
  const [tree, head] = [treeOfJournal(journal), headOver(bytes, SIGNED_AT, people)];
  const made = producePackage(tree, head, people.log.key, {
    label: 'Refund of order 1041',
  });
  if (!made.ok) throw new Error('the payment of the demonstration cannot be proven');
  return encode(packageShape, made.value);
}
