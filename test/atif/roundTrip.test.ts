/** The way to a document and back: what a model was sent can be had from it, and it keeps every rule of the format. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAgreement } from '../../src/atif/agreement.ts';
import type { AtifDocument, Json } from '../../src/atif/document.ts';
import { toAtif } from '../../src/atif/export.ts';
import { items } from '../../src/atif/items.ts';
import { spill } from '../../src/atif/media.ts';
import { readAtif, schemaProblem } from '../../src/atif/read.ts';
import { noPassthrough, redact, rewritten, secrets } from '../../src/atif/redact.ts';
import { at, isTrajectory, type Trajectory, trajectories } from '../../src/atif/trajectory.ts';
import { SessionTree } from '../../src/atif/tree.ts';
import { documentText } from '../../src/atif/write.ts';
import { type Body, canonical, type Draft, request, type Value } from '../session/draft.ts';
import { read } from '../session/load.ts';
import { sessions } from './random.ts';

const RUNS = process.env['AUDIT_FUZZ'] === undefined ? 100 : 5000;

function* paths(draft: Draft): Generator<Trajectory> {
  for (const found of trajectories(read(draft.bytes()))) if (isTrajectory(found)) yield found;
}

/** What the model would be sent at the end of a path, by the writer of the tests. */
function sent(draft: Draft, leaf: string): readonly string[] {
  return ((request(draft.path(leaf), '', true)['input'] ?? []) as readonly Value[]).map(canonical);
}

function itemsOf(document: AtifDocument): readonly Json[] {
  const found = items(document);
  return found.ok ? found.items : [];
}

const inAnyOrder = (texts: readonly string[]): readonly string[] => [...texts].sort();

describe('an exported document', () => {
  it('gives back what the model would be sent, whatever happened in the session', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (draft) => {
        for (const path of paths(draft)) {
          const given = itemsOf(await toAtif(path)).map((item) => canonical(item as Body));
          // An output stands right after the step of its call, whatever stood between the two.
          expect(inAnyOrder(given)).toEqual(inAnyOrder(sent(draft, path.leafId)));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('gives back every item as it was recorded when all are asked for', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (draft) => {
        for (const path of paths(draft)) {
          const all = items(await toAtif(path), { includeOmitted: true });
          const recorded = ((request(draft.path(path.leafId), '', false)['input'] ?? []) as readonly Value[]).map(
            canonical,
          );
          expect(inAnyOrder(all.ok ? all.items.map((item) => canonical(item as Body)) : [])).toEqual(
            inAnyOrder(recorded),
          );
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps every rule, agrees with the published schema and says what its items say', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (draft) => {
        for (const path of paths(draft)) {
          const document = await toAtif(path, { cost: (_, { input }) => input / 4 });
          if (document.steps.length === 0) continue;
          const { rules, document: again, findings } = readAtif(new TextEncoder().encode(documentText(document)));
          expect(findings).toEqual([]);
          expect(rules?.violations).toEqual([]);
          if (rules === undefined || again === undefined) throw new Error('a document');
          expect(schemaProblem(again, rules)).toBeUndefined();
          expect(checkAgreement(again).findings).toEqual([]);
          const spilled = spill(again);
          if (!spilled.ok) throw new Error(spilled.message);
          expect(checkAgreement(spilled.document).findings).toEqual([]);
          expect(documentText(spilled.document)).not.toContain('"path": "data:');
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('gives back redacted items when it was redacted, and none without them', async () => {
    const hide = (text: string): string => text.replaceAll('secret', '[REDACTED]');
    await fc.assert(
      fc.asyncProperty(sessions, async (draft) => {
        for (const path of paths(draft)) {
          const document = await toAtif(path);
          const before = documentText(document);
          const redacted = await toAtif(path, { redactors: [secrets('secret')] });
          expect(documentText(redacted)).not.toContain('secret');
          expect(itemsOf(redacted)).toEqual(itemsOf(document).map((item) => rewritten(item, hide)));
          expect(items(redact(document, noPassthrough())).ok).toBe(false);
          expect(documentText(document)).toBe(before);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is the same whether it is made beside the other paths of its session or alone', async () => {
    const cost = (model: string, { input }: { readonly input: number }): number => model.length + input;
    await fc.assert(
      fc.asyncProperty(sessions, async (draft) => {
        const session = read(draft.bytes());
        const options = { cost };
        for (const path of trajectories(session)) {
          if (!isTrajectory(path)) continue;
          const beside = documentText(await toAtif(path, options));
          const alone = at(session, path.leafId);
          if (!isTrajectory(alone)) throw new Error(alone.message);
          const made = await toAtif(alone, { cost });
          expect(beside).toBe(documentText(made));
          expect(beside).toBe(`${JSON.stringify(made, null, 2)}\n`);
        }
        // Entries in the middle of paths, after the steps of whole paths were kept.
        const tree = new SessionTree(session);
        for (const { id } of [...draft.entries, ...draft.entries].filter((_, i) => i % 3 === 0)) {
          const [beside, alone] = [at(tree, id), at(session, id)];
          if (isTrajectory(beside) && isTrajectory(alone))
            expect(documentText(await toAtif(beside, options))).toBe(documentText(await toAtif(alone, { cost })));
        }
      }),
      { numRuns: RUNS },
    );
  });
});
