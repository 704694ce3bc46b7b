/** `verify-grants` and `verify-current-grant`: chains of grants, and the one that is in force (audit spec 4.7, 4.8, 6.5). */
import { checkCurrentGrant } from '../../../src/evidence/currentGrant.ts';
import { checkGrantChain, expiryFindings, numericAtMost } from '../../../src/evidence/grants.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { currentGrantShape, signedGrantShape } from '../../../src/evidence/shapes.ts';
import { list } from '../../../src/json/shape.ts';
import { headShape } from '../../../src/log/head.ts';
import { parseInstant } from '../../../src/time/instant.ts';
import { headItself, headOfCurrentGrant, noHeads } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

const SECOND = 1_000_000_000n;

/** Unix seconds, or an RFC 3339 time, as Unix seconds. */
function seconds(text: string): bigint | undefined {
  if (/^-?[0-9]{1,18}$/.test(text)) return BigInt(text);
  const instant = parseInstant(text);
  return instant === undefined ? undefined : instant / SECOND;
}

export const verifyGrantsVerb: Verb = {
  name: 'verify-grants',
  summary: 'Checks a chain of grants, root first.',
  flags: {
    chain: { kind: 'string', help: 'a JSON list of signed grants, root first', required: true },
    'issuer-keys': { kind: 'string', help: 'a JSON object from issuer to key', required: true },
    rule: { kind: 'rules', help: 'how a restriction may narrow: <scope key>=numeric-at-most; may be repeated' },
    now: { kind: 'string', help: 'the time in question: Unix seconds or RFC 3339 (default now)' },
  },
  usage: (flags) =>
    flags.has('now') && seconds(flags.text('now')) === undefined
      ? '-now is Unix seconds or an RFC 3339 time'
      : undefined,
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('chain');
    const chain = inputs.artifact(path, list(signedGrantShape), noHeads);
    const keys = await inputs.principalKeys(flags.text('issuer-keys'));
    if (chain === undefined || keys === undefined) return;
    const rules = new Map(flags.list('rule').map((rule) => [rule.slice(0, rule.lastIndexOf('=')), numericAtMost]));
    const report = checkGrantChain(chain ?? [], (issuer) => keys.get(issuer) ?? [], rules);
    session.take(report.findings, path);
    const now = seconds(flags.text('now')) ?? inputs.now / SECOND;
    session.take(expiryFindings(chain ?? [], now), path);
    const [root] = chain ?? [];
    const last = chain?.at(-1);
    if (session.status === 0 && root !== undefined && last !== undefined)
      session.ok(`${root.grant.issuer} allows ${last.grant.subject}, through ${chain?.length} grants`);
  },
};

export const verifyCurrentGrantVerb: Verb = {
  name: 'verify-current-grant',
  summary: 'Checks that a grant is the last one of its ledger.',
  flags: {
    grant: { kind: 'string', help: 'the signed grant', required: true },
    proof: { kind: 'string', help: 'the current-grant proof', required: true },
    ledger: { kind: 'string', help: 'the id of the ledger run', required: true },
    ...PUBKEY_FLAG,
    'last-seen': { kind: 'string', help: 'the head of the ledger seen last; leave out on first contact only' },
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('proof');
    const grant = inputs.artifact(flags.text('grant'), signedGrantShape, noHeads);
    const proof = inputs.artifact(path, currentGrantShape, headOfCurrentGrant);
    const seenPath = flags.optional('last-seen');
    const lastSeen = seenPath === undefined ? undefined : inputs.artifact(seenPath, headShape, headItself);
    const ring = await inputs.ring();
    if (grant === undefined || proof === undefined) return;
    const report = checkCurrentGrant(
      proof,
      { grant, ledger: flags.text('ledger'), ...(lastSeen === undefined ? {} : { lastSeen }) },
      new HeadChecker({ ring }),
      { proof: { part: path }, lastSeen: { part: seenPath ?? '' } },
    );
    session.take(report.findings);
    if (seenPath === undefined)
      session.note('no head was given as last seen: that the ledger was not rewritten since is not shown');
    if (session.status === 0)
      session.ok(`the grant is record ${proof.leaf.inclusion.index}, the last of ledger ${flags.text('ledger')}`);
  },
};
