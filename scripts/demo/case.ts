/** Everything that the demonstration is made of, as files: records, heads, proofs, notifications, trust, keys and the bundle over them. */

import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { approvalActions } from '../../src/evidence/approvals.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { packageShape } from '../../src/evidence/shapes.ts';
import { readExport } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signedBytes, signHead } from '../../src/log/head.ts';
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
import { demoJournal, RUN } from './journal.ts';
import { type Cast, cast, trustFile } from './keys.ts';
import { CALL, demoSession } from './session.ts';
import { revocationList, stamp, timeRoot } from './timestamps.ts';
import { demoTrail, demoTrailHead } from './trail.ts';

export const SIGNED_AT = '2026-10-13T12:05:00Z';
export const STAMPED_AT = '2026-10-13T12:05:03Z';
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
  const journal = demoJournal(people);
  const sessionHeadFile = sessionHead(session, people);
  const log = treeHead(journal, people).head;
  const anchors = [{ certificate: base64(timeRoot), about: 'Example Time Root' }];
  const trust = utf8(trustFile(people, anchors));
  const inside: InsideFile[] = [
    { path: 'inputs/session.jsonl', role: 'input', bytes: session },
    { path: 'inputs/journal.json', role: 'input', bytes: journal },
    { path: 'inputs/approval.json', role: 'input', bytes: approval(journal, people) },
    { path: 'inputs/notifications.json', role: 'input', bytes: demoTrail() },
    { path: 'heads/session-head.json', role: 'head', bytes: encode(sessionHeadShape, sessionHeadFile) },
    { path: 'heads/journal-head.json', role: 'head', bytes: encode(headShape, log) },
    {
      path: 'heads/notifications-head.json',
      role: 'head',
      bytes: demoTrailHead(people.log.key, instant('2026-10-13T12:10:00Z')),
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
    { path: 'trust/trust.json', role: 'trust', bytes: trust },
  ];
  const bundle = await makeBundle(
    inside,
    { at: instant(MADE_AT), require: null, expectIds: [] },
    people.maker.key,
    renderJson,
  );
  const short = (path: string) => path.slice(path.indexOf('/') + 1);
  const files = new Map(inside.map(({ path, bytes }) => [short(path), bytes]));
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

function treeHead(bytes: Uint8Array, { log }: Cast) {
  const { journal } = readExport(bytes);
  if (journal === undefined) throw new Error('the journal of the demonstration does not read');
  const tree = treeOfJournal(journal);
  const content = {
    kind: 'journal',
    run_id: RUN,
    size: tree.tree.size,
    root: tree.tree.root(),
    timestamp_nanos: instant(SIGNED_AT),
  };
  return { journal, tree, head: signHead(content, log.key) };
}

/** The records of the approval with their proofs, for a reader who may not see the whole journal. */
function approval(bytes: Uint8Array, people: Cast): Uint8Array {
  const { journal, tree, head } = treeHead(bytes, people);
  const actions = approvalActions(journal, CALL);
  if (actions === undefined) throw new Error('the journal of the demonstration has no approval');
  const made = producePackage(tree, head, people.log.key, {
    label: 'Refund of order 1041',
    actions,
  });
  if (!made.ok) throw new Error('the approval of the demonstration cannot be proven');
  return encode(packageShape, made.value);
}
