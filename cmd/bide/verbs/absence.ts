/** `verify-absent` and `prove-absent`: that a key is not in a signed set (audit spec 4.5, 6.5). */
import { checkAbsence } from '../../../src/evidence/absence.ts';
import { catalogue } from '../../../src/evidence/catalogue.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import {
  keySetOf,
  projectionFindings,
  proveAbsent,
  TOOL_USE_KEYS,
  USED_POLICY_KEYS,
} from '../../../src/evidence/keySets.ts';
import { absenceShape } from '../../../src/evidence/shapes.ts';
import { headShape } from '../../../src/log/head.ts';
import { headItself, headOfAbsence } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import { OUT_FLAG, produce } from '../produce.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

export const verifyAbsentVerb: Verb = {
  name: 'verify-absent',
  summary: 'Checks that a tool call or a policy is not in the signed set of a run.',
  flags: {
    bundle: { kind: 'string', help: 'the absence bundle', required: true },
    ...PUBKEY_FLAG,
    journal: { kind: 'string', help: 'the journal export: the set is projected from it again' },
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('bundle');
    const bundle = inputs.artifact(path, absenceShape, headOfAbsence);
    const ring = await inputs.ring();
    const of = flags.has('journal') ? inputs.journal(flags.text('journal')) : undefined;
    if (bundle === undefined) return;
    const set = keySetOf(bundle.absence.key);
    if (set === undefined)
      session.take(
        [
          catalogue.find('evidence/unknown-key-set', 'the key belongs to no set that is known here', {
            where: { pointer: '/absence/key' },
            actual: bundle.absence.key,
          }),
        ],
        path,
      );
    const heads = new HeadChecker({ ring });
    if (set === undefined) {
      session.take(heads.check(bundle.sth, { pointer: '/sth' }).findings, path);
      return;
    }
    const report = checkAbsence(bundle, set, heads);
    session.take(report.findings, path);
    if (of !== undefined) session.take(projectionFindings(of, set, bundle.sth, { pointer: '/sth' }), path);
    if (session.status !== 0) return;
    session.ok(`${bundle.absence.key} is not among the ${bundle.sth.size} keys of run ${bundle.run_id}`);
    session.note(
      `covers the journal up to ${bundle.sth.journal?.size ?? 0} records${of === undefined ? '; that the set was projected honestly is the word of the signer' : ''}`,
    );
  },
};

const FORMS = [
  { form: 'tool:', set: TOOL_USE_KEYS },
  { form: 'policy:', set: USED_POLICY_KEYS },
] as const;

export const proveAbsentVerb: Verb = {
  name: 'prove-absent',
  summary: 'Produces the proof that a tool call or a policy is not in a signed set.',
  emits: true,
  flags: {
    journal: { kind: 'string', help: 'the journal export', required: true },
    sth: { kind: 'string', help: 'the signed head of the key set', required: true },
    key: { kind: 'string', help: 'tool:<id> or policy:<digest>', required: true },
    ...OUT_FLAG,
  },
  usage(flags) {
    return FORMS.some(({ form }) => flags.text('key').startsWith(form))
      ? undefined
      : '-key is tool:<id> or policy:<digest>';
  },
  run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const of = inputs.journal(flags.text('journal'));
    const head = inputs.artifact(flags.text('sth'), headShape, headItself);
    const given = flags.text('key');
    const form = FORMS.find((candidate) => given.startsWith(candidate.form));
    if (of === undefined || head === undefined || form === undefined) return;
    const proof = proveAbsent(of, form.set, form.set.prefix + given.slice(form.form.length), head);
    if (!proof.ok) session.take(proof.findings);
    else if (session.status === 0) produce(absenceShape, proof.value, flags, session, io);
  },
};
