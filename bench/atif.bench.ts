/** Export in linear time, and what many leaves share. */

import { toAtif } from '../src/atif/export.ts';
import { at, isTrajectory, trajectories } from '../src/atif/trajectory.ts';
import { documentText } from '../src/atif/write.ts';
import { hex, utf8 } from '../src/bytes/encoding.ts';
import { memorySource } from '../src/bytes/source.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { readSession } from '../src/session/read.ts';
import type { Session } from '../src/session/session.ts';
import { compare, type Measurement, time } from './bench.ts';
import { sessionFile } from './sessionFile.ts';

function sessionOf(file: Uint8Array): Session {
  const { session } = readSession(memorySource(file));
  if (session === undefined) throw new Error('the file does not read');
  return session;
}

/** Exports every leaf; gives the documents and their characters. */
async function exportAll(of: Session): Promise<{ documents: number; characters: number }> {
  let [documents, characters] = [0, 0];
  for (const found of trajectories(of)) {
    if (!isTrajectory(found)) throw new Error(found.message);
    characters += documentText(await toAtif(found)).length;
    documents++;
  }
  return { documents, characters };
}

const growth: Measurement = {
  name: 'atif/growth-one-path',
  most: 2.3,
  async measure() {
    const shape = { tools: true, size: 500, canonical: true };
    const [small, large] = [10_000, 20_000].map((entries) => sessionOf(sessionFile({ ...shape, turns: entries / 10 })));
    if (small === undefined || large === undefined) throw new Error('two sessions');
    const { a, b } = await compare(
      () => exportAll(large),
      () => exportAll(small),
      3,
    );
    return {
      ratio: (a / b) * ((2 * small.size) / large.size),
      detail: `${large.size} entries ${a.toFixed(2)} s, ${small.size} ${b.toFixed(2)} s`,
    };
  },
};

/** A session with a long common path and many leaves at its end. */
function manyLeaves(turns: number, leaves: number): { readonly text: Uint8Array; readonly leaves: readonly string[] } {
  const trunk = new TextDecoder().decode(sessionFile({ turns, tools: true, size: 500, canonical: true })).trimEnd();
  const tip = JSON.parse(trunk.slice(trunk.lastIndexOf('\n') + 1)) as { readonly id: string };
  const ids: string[] = [];
  const lines = Array.from({ length: leaves }, (_, i) => {
    const item = `{"content":[{"text":"${i}","type":"input_text"}],"role":"user","type":"message"}`;
    const ts = '2026-11-30T12:00:00Z';
    const content = hashOf(`{"item":${item}}`);
    const id = hashOf(`{"content":"${content}","parent":"${tip.id}","ts":"${ts}","type":"item"}`);
    ids.push(id);
    return `{"id":"${id}","item":${item},"parent":"${tip.id}","ts":"${ts}","type":"item"}`;
  });
  return { text: utf8(`${[trunk, ...lines].join('\n')}\n`), leaves: ids };
}

const hashOf = (text: string): string => `sha256:${hex(sha256(utf8(text)))}`;

const leaves: Measurement = {
  name: 'atif/thousand-leaves',
  least: 3,
  async measure() {
    const file = manyLeaves(20, 1000);
    let made = { documents: 0, characters: 0 };
    const shared = await time(async () => {
      made = await exportAll(sessionOf(file.text));
    });
    // As one run for each leaf costs it, sampled.
    const { text, leaves: ids } = file;
    const sample = ids.filter((_, i) => i % 20 === 10);
    const alone = await time(async () => {
      for (const id of sample) {
        const found = at(sessionOf(text), id);
        if (isTrajectory(found)) documentText(await toAtif(found));
      }
    });
    const { documents, characters } = made;
    return {
      ratio: (alone / sample.length) * (documents / shared),
      detail: `${documents} documents in ${shared.toFixed(2)} s: ${Math.round(documents / shared)} a second, ${(characters / 1e6 / shared).toFixed(0)} MB/s`,
    };
  },
};

export const benches: readonly Measurement[] = [growth, leaves];
