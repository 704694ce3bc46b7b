/**
 * Writes vectors/approval/recount.json: for each rule of approvals 8.2 a journal that keeps it and one that breaks only it. The answers
 * stand here, written by hand; the library is only asked to write records and signatures.
 */
import { writePolicy } from '../src/approval/policy.ts';
import { utf8 } from '../src/bytes/encoding.ts';
import { names } from '../src/journal/names.ts';
import { encodeTombstone } from '../src/journal/tombstone.ts';
import { APPROVERS, ARGS, CALL, POLICY, paid, Scene, TOOL, trustText } from './approval-scenes.ts';
import { writeCases } from './place.ts';

interface Row {
  readonly name: string;
  readonly scene: Scene;
  readonly trust?: string;
  /** Codes of class other than `none`, gravest first within a gate. */
  readonly codes?: readonly string[];
  /** Codes of class `none`. */
  readonly notes?: readonly string[];
  readonly end?: string;
  readonly claims?: Readonly<Record<string, string>>;
  readonly gates?: number;
}

const GOOD = { count: 'verified', outcome: 'verified', disclosure: 'verified' };
const but = (change: Readonly<Record<string, string>>) => ({ ...GOOD, ...change });
const EXCLUDES = trustText([{ tool: '*', policy: { need: 2, approvers: APPROVERS, exclude_principal: true } }]);
const SINGLE = trustText([{ tool: '*', policy: { single: true } }]);
const CERTIFICATE = [new Uint8Array([0x30, 0x00])];

/** The plain case with one thing changed. */
function counted(change: (scene: Scene, decisions: string[]) => void): Scene {
  const scene = new Scene().start().turn();
  change(scene, [scene.decide('alice'), scene.decide('bob')]);
  return scene;
}
const pass = (scene: Scene, records: string[], more = {}) =>
  scene
    .tally({ approvedBy: ['alice', 'bob'], records, ...more })
    .attempt()
    .result();

function excluding(
  principal: (scene: Scene) => void,
  requesters: readonly string[],
  late?: (scene: Scene) => void,
): Scene {
  const scene = new Scene();
  principal(scene);
  scene.start().turn();
  late?.(scene);
  const records = [scene.decide('alice'), scene.decide('bob')];
  scene.tally({ approvedBy: ['alice', 'bob'], records, excludePrincipal: true, requesters });
  return scene.attempt().result({ policy: { ...POLICY, excludePrincipal: true } });
}

function timed(change: (scene: Scene, records: string[]) => void, minutes = 60): Scene {
  const scene = new Scene().start().turn();
  if (minutes > 0) scene.deadline(minutes);
  change(scene, [scene.decide('alice'), scene.decide('bob')]);
  return scene;
}
const TIMED = { expiresAt: '2026-10-13T13:00:00.000Z' };

function reasked(change: (scene: Scene) => void): Scene {
  const scene = new Scene().start().turn();
  const first = [scene.decide('alice'), scene.decide('bob')];
  scene.tally({ approvedBy: ['alice', 'bob'], records: first, decisionFormat: '' });
  change(scene);
  return scene;
}

function flow(order: 'after' | 'before', effect: (scene: Scene) => void): Scene {
  const scene = new Scene('flow-1').start();
  const subject = { call: 'node:settle', tool: 'settle', args: utf8('{"batch":"b-9"}') };
  const decide = () =>
    ['alice', 'bob'].map((person) => scene.decide(person, { subject, change: { toolUseId: 'node:settle' } }));
  const early = order === 'before' ? decide() : [];
  scene.request();
  const records = order === 'after' ? decide() : early;
  scene.tally({ approvedBy: ['alice', 'bob'], records }, names.tally('node:settle'));
  effect(scene);
  return scene;
}
const FLOW = trustText([{ node: 'settle', policy: { need: 2, approvers: APPROVERS } }]);

const rows: readonly Row[] = [
  { name: 'two of three approve, the count stands before the result', scene: paid(), end: 'passed', claims: GOOD },
  {
    name: 'a gated call that ran without any record of its gate',
    scene: new Scene().start().turn().attempt().result({ policy: null }),
    codes: ['approval/ran-without-approval'],
    end: 'unknown',
    claims: { outcome: 'failed' },
  },
  {
    name: 'a call that no gate of the trust file matches is not gated',
    scene: new Scene('shop/1').start().turn().attempt().result({ policy: null }),
    gates: 0,
  },
  {
    name: 'decisions that suffice, and no count before the result',
    scene: counted((scene) => scene.attempt().result()),
    codes: ['approval/ran-without-approval'],
    end: 'unknown',
    claims: { outcome: 'failed' },
  },
  {
    name: 'an attempt before the count',
    scene: counted((scene, records) =>
      scene
        .attempt()
        .tally({ approvedBy: ['alice', 'bob'], records })
        .result(),
    ),
    codes: ['approval/attempt-before-outcome'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'an attempt and no count at all',
    scene: counted((scene) => scene.attempt()),
    codes: ['approval/attempt-before-outcome'],
    end: 'waiting',
    claims: { outcome: 'failed' },
  },
  {
    name: 'waiting for a second approval',
    scene: new Scene().start().turn(),
    end: 'waiting',
    claims: { outcome: 'verified' },
  },
  {
    name: 'denied by two, and the result says so',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice', { approved: false }), scene.decide('bob', { approved: false })];
      return scene.tally({ deniedBy: ['alice', 'bob'], records }).denied();
    })(),
    end: 'denied',
    claims: GOOD,
  },
  {
    name: 'denied by two, and the call ran',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice', { approved: false }), scene.decide('bob', { approved: false })];
      return scene
        .tally({ deniedBy: ['alice', 'bob'], records })
        .attempt()
        .result();
    })(),
    codes: ['approval/ran-after-denial'],
    end: 'denied',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'passed, and the result says denied',
    scene: counted((scene, records) => scene.tally({ approvedBy: ['alice', 'bob'], records }).denied()),
    codes: ['approval/effect-disagrees'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a result that says denied, and nothing denied it',
    scene: new Scene().start().turn().denied(),
    codes: ['approval/outcome-missing'],
    end: 'denied',
    claims: { outcome: 'failed' },
  },
  {
    name: 'nothing asked for the call',
    scene: (() => {
      const scene = new Scene().start();
      const records = [scene.decide('alice'), scene.decide('bob')];
      return pass(scene, records);
    })(),
    trust: trustText([{ tool: '*', policy: { need: 2, approvers: APPROVERS } }]),
    codes: ['approval/request-missing'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'undecided' }),
  },
  {
    name: 'a count of a call that nothing else speaks of',
    scene: new Scene().start().tally({ approvedBy: ['alice', 'bob'], records: [] }),
    codes: ['approval/request-missing'],
    gates: 0,
  },
  {
    name: 'a replayed decision, and nothing ran yet',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob', { subject: { call: 'call_0' } })];
      return scene.tally({ approvedBy: ['alice', 'bob'], records });
    })(),
    codes: ['approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'a decision replayed from another call',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob', { subject: { call: 'call_0' } })];
      return pass(scene, records);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'a decision replayed from another run',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob', { subject: { run: 'bank/order-6' } })];
      return pass(scene, records);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'the amount was changed after the approvers signed',
    scene: (() => {
      const scene = new Scene().start().turn(CALL, TOOL, ARGS.replace('1250.00', '9250.00'));
      return pass(scene, [scene.decide('alice'), scene.decide('bob')]);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted', 'approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'a denial flipped into an approval',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob', { approved: false, change: { approved: true } })];
      return pass(scene, records);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'somebody else signed in the name of bob',
    scene: (() => {
      const scene = new Scene().start().turn();
      return pass(scene, [scene.decide('alice'), scene.decide('bob', { signer: 'mallory' })]);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'a forged decision beside two good ones does no harm',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('carol', { signer: 'mallory' }), scene.decide('alice'), scene.decide('bob')];
      return pass(scene, records);
    })(),
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'a named decision is not there',
    scene: counted((scene, records) => pass(scene, [...records, `approval:${CALL}:carol:${'0'.repeat(64)}`])),
    codes: ['approval/decision-omitted'],
    end: 'passed',
    claims: but({ disclosure: 'failed' }),
  },
  {
    name: 'a decision before the count that it does not name, and that changes nothing',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob')];
      scene.decide('carol');
      return pass(scene, records);
    })(),
    notes: ['approval/decision-not-read'],
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'a count that names a decision twice',
    scene: counted((scene, records) => pass(scene, [...records, records[0] as string])),
    codes: ['approval/tally-inconsistent'],
    end: 'passed',
    claims: but({ disclosure: 'failed' }),
  },
  {
    name: 'a count that says three and lists two',
    scene: counted((scene, records) => pass(scene, records, { approved: 3 })),
    codes: ['approval/count-differs', 'approval/tally-inconsistent'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'a count with an unknown member does not read',
    scene: counted((scene) =>
      scene.value(names.tally(CALL), '{"need":2,"approvers":["alice"],"approved":2,"denied":0,"extra":1}'),
    ),
    codes: ['approval/tally-malformed'],
    end: 'waiting',
    claims: { outcome: 'undecided' },
  },
  {
    name: 'a second count that supersedes nothing',
    scene: counted((scene, records) =>
      pass(scene, records).tally({ deniedBy: ['alice', 'bob'], records }, `${names.tally(CALL)}:again`),
    ),
    codes: ['approval/tally-unplaced'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a count that names a predecessor that is not there',
    scene: counted((scene, records) => pass(scene, records, { supersedes: 'approval-tally:gone' })),
    codes: ['approval/superseded-missing'],
    end: 'passed',
    claims: but({ disclosure: 'failed' }),
  },
  {
    name: 'passed under an older decision format',
    scene: counted((scene, records) => pass(scene, records, { decisionFormat: '' })),
    codes: ['approval/not-acted-on'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'passed under an older format and approved again',
    scene: reasked((scene) => {
      scene.decide('carol');
      scene.decide('alice', { decidedAt: '2026-10-13T13:00:00.000Z' });
      scene
        .tally(
          { approvedBy: ['alice', 'bob', 'carol'], records: allDecisions(scene), supersedes: names.tally(CALL) },
          `${names.tally(CALL)}:reask`,
        )
        .attempt()
        .result();
    }),
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'the gate enforced one of three where two are expected',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice')];
      return scene
        .tally({ need: 1, approvedBy: ['alice'], records })
        .attempt()
        .result({ policy: { ...POLICY, need: 1 } });
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs', 'approval/policy-differs'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'the expected order of approvers is another',
    scene: paid(),
    trust: trustText([{ tool: '*', policy: { need: 2, approvers: ['bob', 'alice', 'carol'] } }]),
    codes: ['approval/policy-differs'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'no expected policy: the count under the journal\u2019s own proves less',
    scene: paid(),
    trust: trustText([]),
    codes: ['approval/policy-unknown'],
    end: 'passed',
    claims: but({ count: 'undecided', outcome: 'undecided' }),
  },
  {
    name: 'counted although the trust file asks for no approval of such calls',
    scene: paid(),
    trust: trustText([{ tool: '*', policy: null }]),
    end: 'passed',
    claims: { outcome: 'verified', disclosure: 'verified' },
  },
  {
    name: 'the key of an approver who decided is not known',
    scene: paid(),
    trust: trustText(undefined, ['alice', 'carol']),
    codes: ['approval/key-missing'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'undecided', outcome: 'undecided' }),
  },
  {
    name: 'the key of an approver who did not decide is not known',
    scene: paid(),
    trust: trustText(undefined, ['alice', 'bob']),
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'no approver keys at all',
    scene: paid(),
    trust: trustText(undefined, []),
    codes: ['approval/key-missing', 'approval/key-missing'],
    notes: ['approval/decision-uncounted', 'approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'undecided', outcome: 'undecided' }),
  },
  {
    name: 'a certificate-bound decision that nothing here can judge',
    scene: (() => {
      const scene = new Scene().start().turn();
      const bound = { approverAlg: 'x509', approverCert: CERTIFICATE };
      const records = [scene.decide('alice'), scene.decide('bob', { change: bound })];
      return scene
        .tally({ approvedBy: ['alice', 'bob'], records }, names.identityTally(CALL, 0))
        .attempt()
        .result();
    })(),
    trust: trustText(undefined, ['alice', 'carol']),
    codes: ['approval/certificate-not-evaluated'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'undecided', outcome: 'undecided' }),
  },
  {
    name: 'two approvers with one key in the trust file',
    scene: paid(),
    trust: JSON.stringify({
      ...JSON.parse(trustText()),
      approvers: {
        ...JSON.parse(trustText()).approvers,
        bob: JSON.parse(trustText()).approvers.alice,
      },
    }),
    codes: ['approval/policy-invalid'],
    end: 'passed',
    claims: but({ count: 'undecided', outcome: 'undecided' }),
  },
  {
    name: 'the requester is excluded and nobody of the approvers',
    scene: excluding((scene) => scene.principal('desk-7', ['desk-1']), ['desk-1', 'desk-7']),
    trust: EXCLUDES,
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'the requester approved',
    scene: excluding((scene) => scene.principal('Alice'), ['Alice']),
    trust: EXCLUDES,
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'nobody says who asked',
    scene: excluding(() => undefined, []),
    trust: EXCLUDES,
    codes: ['approval/ran-without-approval', 'approval/count-differs', 'approval/requester-unreadable'],
    notes: ['approval/decision-uncounted', 'approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'the count names another requester than the run',
    scene: excluding((scene) => scene.principal('desk-7'), ['desk-8']),
    trust: EXCLUDES,
    codes: ['approval/count-differs', 'approval/requester-differs'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'the requester was recorded after the call was asked for',
    scene: excluding(
      () => undefined,
      ['desk-7'],
      (scene) => scene.principal('desk-7'),
    ),
    trust: EXCLUDES,
    codes: ['approval/order'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'the principal is a record of another kind',
    scene: excluding((scene) => scene.add({ name: 'run:principal', kind: 'signal', result: utf8('{}') }), []),
    trust: EXCLUDES,
    codes: [
      'approval/ran-without-approval',
      'approval/count-differs',
      'approval/record-misplaced',
      'approval/requester-unreadable',
    ],
    notes: ['approval/decision-uncounted', 'approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'decided before the deadline',
    scene: timed((scene, records) => pass(scene, records, TIMED)),
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'recorded after the deadline',
    scene: (() => {
      const scene = new Scene().start().turn().deadline(60);
      const records = [scene.decide('alice'), scene.decide('bob', { recordedAt: '2026-10-13T13:00:00.001Z' })];
      return pass(scene, records, TIMED);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs'],
    notes: ['approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'expired with one approval, and the result says so',
    scene: (() => {
      const scene = new Scene().start().turn().deadline(60);
      const records = [scene.decide('alice')];
      return scene
        .tally({ approvedBy: ['alice'], records, expired: true, ...TIMED })
        .denied('tool call denied: the approval gate expired');
    })(),
    end: 'expired',
    claims: GOOD,
  },
  {
    name: 'the count does not name the deadline',
    scene: timed((scene, records) => pass(scene, records)),
    codes: ['approval/deadline-differs'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'the record of the deadline is not there',
    scene: timed((scene, records) => pass(scene, records, TIMED), 0),
    codes: ['approval/deadline-missing'],
    end: 'passed',
    claims: but({ disclosure: 'failed' }),
  },
  {
    name: 'a deadline that is no canonical time makes every decision late',
    scene: (() => {
      const scene = new Scene().start().turn();
      scene.value(names.deadline(CALL), {
        tool_use_id: CALL,
        requested_at: '',
        expires_at: '2026-10-13T13:00:00Z',
        timeout_ms: 1,
      });
      return pass(scene, [scene.decide('alice'), scene.decide('bob')]);
    })(),
    codes: ['approval/ran-without-approval', 'approval/count-differs', 'approval/deadline-unreadable'],
    notes: ['approval/decision-uncounted', 'approval/decision-uncounted'],
    end: 'passed',
    claims: but({ count: 'failed', outcome: 'failed' }),
  },
  {
    name: 'the gate waited longer than expected',
    scene: timed((scene, records) => pass(scene, records, TIMED)),
    trust: trustText([{ tool: '*', policy: { need: 2, approvers: APPROVERS }, timeout_ms: 60_000 }]),
    codes: ['approval/timeout-differs'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'the result names another policy than the count',
    scene: counted((scene, records) =>
      scene
        .tally({ approvedBy: ['alice', 'bob'], records })
        .attempt()
        .result({ policy: { ...POLICY, need: 3 } }),
    ),
    codes: ['approval/stored-policy-differs'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'the policy of the result contradicts itself',
    scene: counted((scene, records) =>
      scene
        .tally({ approvedBy: ['alice', 'bob'], records })
        .attempt()
        .result({ approval: utf8(new TextDecoder().decode(writePolicy(POLICY)).replace('}', ',"single":true}')) }),
    ),
    codes: ['approval/stored-policy-differs'],
    notes: ['approval/stored-policy-contradictory'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a record of another kind under the name of the count',
    scene: new Scene()
      .start()
      .turn()
      .add({ name: names.tally(CALL), kind: 'signal', result: utf8('{}') }),
    codes: ['approval/record-misplaced'],
    end: 'waiting',
    claims: { outcome: 'failed' },
  },
  {
    name: 'a pause note that told people another policy',
    scene: (() => {
      const scene = new Scene().start().turn();
      scene.value(names.pauseNote(CALL), { tool_use_id: CALL, tool_name: TOOL, need: 1, approvers: ['alice'] });
      return pass(scene, [scene.decide('alice'), scene.decide('bob')]);
    })(),
    notes: ['approval/note-contradicts'],
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'a count that names a decision from after it',
    scene: (() => {
      const scene = new Scene().start().turn();
      const later = new Scene().start().turn();
      later.decide('alice');
      const records = [scene.decide('alice'), later.decide('bob')];
      scene.tally({ approvedBy: ['alice', 'bob'], records });
      scene.decide('bob');
      return scene.attempt().result();
    })(),
    codes: ['approval/order'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a single gate, decided before the call',
    scene: new Scene()
      .start()
      .turn()
      .approve()
      .attempt()
      .result({ policy: { kind: 'single' } }),
    trust: SINGLE,
    end: 'passed',
    claims: { count: 'verified', outcome: 'verified' },
  },
  {
    name: 'a single gate without a decision',
    scene: new Scene()
      .start()
      .turn()
      .attempt()
      .result({ policy: { kind: 'single' } }),
    trust: SINGLE,
    codes: ['approval/ran-without-approval'],
    end: 'unknown',
    claims: { outcome: 'failed' },
  },
  {
    name: 'the gate took one unsigned decision where two signed ones are expected',
    scene: new Scene()
      .start()
      .turn()
      .approve()
      .attempt()
      .result({ policy: { kind: 'single' } }),
    codes: ['approval/ran-without-approval', 'approval/stored-policy-differs'],
    end: 'unknown',
    claims: { outcome: 'failed' },
  },
  {
    name: 'the gate counted several where one unsigned decision is expected',
    scene: paid(),
    trust: SINGLE,
    codes: ['approval/policy-differs', 'approval/stored-policy-differs'],
    end: 'passed',
    claims: { count: 'failed', outcome: 'failed' },
  },
  {
    name: 'an unsigned approval does not answer a gate of several',
    scene: new Scene().start().turn().approve().attempt().result(),
    codes: ['approval/ran-without-approval'],
    end: 'unknown',
    claims: { outcome: 'failed' },
  },
  {
    name: 'an unsigned denial is final, whatever was counted',
    scene: counted((scene, records) =>
      scene
        .tally({ approvedBy: ['alice', 'bob'], records })
        .approve(false)
        .attempt()
        .result(),
    ),
    codes: ['approval/ran-after-denial'],
    end: 'denied',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a call refused by the run\u2019s own filter never reached its gate',
    scene: new Scene()
      .start()
      .turn()
      .result({
        policy: null,
        safety: undefined,
        isError: true,
        text: JSON.stringify(`tool "${TOOL}" is not available in this run (its tool filter leaves it out)`),
      }),
    end: 'unknown',
    claims: { outcome: 'verified' },
  },
  {
    name: 'a flow node, decided after its request',
    scene: flow('after', (scene) => scene.value('node:settle', { settled: true })),
    trust: FLOW,
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'a flow node, decided before its request',
    scene: flow('before', (scene) => scene.value('node:settle', { settled: true })),
    trust: FLOW,
    codes: ['approval/order', 'approval/order'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a flow node that ran and never asked',
    scene: new Scene('flow-1').start().value('node:settle', { settled: true }),
    trust: FLOW,
    codes: ['approval/ran-without-approval', 'approval/request-missing'],
    end: 'unknown',
    claims: { outcome: 'failed', count: 'failed' },
  },
  {
    name: 'a count without the certificates is history once generation 0 is counted',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob')];
      scene.tally({ approvedBy: ['alice', 'bob'], records });
      return scene
        .tally({ approvedBy: ['alice', 'bob'], records }, names.identityTally(CALL, 0))
        .attempt()
        .result();
    })(),
    end: 'passed',
    claims: GOOD,
  },
  {
    name: 'a count of generation 1 and no hold of generation 0',
    scene: (() => {
      const scene = new Scene().start().turn();
      const records = [scene.decide('alice'), scene.decide('bob')];
      scene.tally({ approvedBy: ['alice', 'bob'], records }, names.identityTally(CALL, 0));
      return scene
        .tally({ approvedBy: ['alice', 'bob'], records }, names.identityTally(CALL, 1))
        .attempt()
        .result();
    })(),
    codes: ['approval/tally-unplaced'],
    end: 'passed',
    claims: but({ outcome: 'failed' }),
  },
  {
    name: 'a later generation that counts a decision from before the hold',
    scene: (() => {
      const scene = new Scene().start().turn();
      const first = [scene.decide('alice'), scene.decide('bob')];
      scene.tally({ approvedBy: ['alice', 'bob'], records: first }, names.identityTally(CALL, 0));
      scene.value(`approval-exec-hold:${CALL}:0`, {
        format: 'bide.approval-exec-hold.v2',
        tool_use_id: CALL,
        generation: 0,
        reason: 'revoked',
      });
      const again = scene.decide('carol');
      return scene
        .tally({ approvedBy: ['bob', 'carol'], records: [first[1] as string, again] }, names.identityTally(CALL, 1))
        .attempt()
        .result();
    })(),
    codes: ['approval/decision-before-hold'],
    end: 'passed',
    claims: but({ count: 'failed' }),
  },
  {
    name: 'a gate of the trust file with a misspelled member',
    scene: new Scene('shop/1').start(),
    trust: trustText([{ tool: '*', policies: { single: true } }]),
    codes: ['approval/gate-pattern', 'approval/gate-pattern'],
    gates: 0,
  },
  {
    name: 'a gate of the trust file that cannot be met',
    scene: new Scene('shop/1').start(),
    trust: trustText([{ tool: '*', policy: { need: 4, approvers: APPROVERS } }]),
    codes: ['approval/gate-pattern'],
    gates: 0,
  },
];

function allDecisions(scene: Scene): string[] {
  return scene.records
    .map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as { readonly name: string; readonly kind: string })
    .filter(({ kind }) => kind === 'approval')
    .map(({ name }) => name);
}

const cases = rows.map(({ name, scene, trust = trustText(), codes = [], notes = [], end, claims, gates = 1 }) => ({
  name,
  op: 'approval/recount',
  params: { run: scene.run, trust: [trust], records: scene.records.map((bytes) => new TextDecoder().decode(bytes)) },
  answer: {
    gates: gates === 0 ? [] : [{ end: end ?? 'passed', claims: claims ?? GOOD }],
    codes: [...codes].sort(),
    notes: [...notes].sort(),
  },
}));

const conflict = {
  name: 'two trust files that expect different policies',
  op: 'approval/recount',
  params: {
    run: paid().run,
    trust: [trustText(), trustText([{ tool: '*', policy: { single: true } }])],
    records: paid().records.map((bytes) => new TextDecoder().decode(bytes)),
  },
  answer: {
    gates: [{ end: 'passed', claims: but({ count: 'undecided', outcome: 'undecided' }) }],
    codes: ['approval/gate-conflict', 'approval/policy-unknown'],
    notes: [],
  },
};

// A decision that was redacted: its tombstone, alone or with the name that the store still knows.
const DECISION = 3;
const decided = paid();
const withTombstone = decided.records.map((bytes, i) =>
  new TextDecoder().decode(i === DECISION ? encodeTombstone({ leafHash: new Uint8Array(32), atMs: 1n }) : bytes),
);
const { name: nameOfDecision } = JSON.parse(new TextDecoder().decode(decided.records[DECISION])) as {
  readonly name: string;
};
const redacted = (name: string, names: object, code: string) => ({
  name,
  op: 'approval/recount',
  params: { run: decided.run, trust: [trustText()], records: withTombstone, ...names },
  answer: {
    gates: [{ end: 'passed', claims: { count: 'failed', outcome: 'failed', disclosure: 'failed' } }],
    codes: ['approval/count-differs', code, 'approval/ran-without-approval'].sort(),
    notes: [],
  },
});
const redactions = [
  redacted(
    'a redacted decision whose name the store knows',
    { names: { [DECISION]: nameOfDecision } },
    'approval/decision-redacted',
  ),
  redacted('a redacted decision whose name nobody knows', {}, 'approval/decision-omitted'),
];

const about =
  'Gates of a run recounted under a trust file (approvals 8.2). codes are the findings that decide something, notes the others, both sorted; claims are the verdicts of the one gate.';
writeCases('approval/recount.json', about, [...cases, conflict, ...redactions]);
