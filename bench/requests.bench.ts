/** Request hashes in linear time, and what checking everything costs beside parsing. */
import { memorySource } from '../src/bytes/source.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { SessionChecker } from '../src/session/check.ts';
import { requestContext } from '../src/session/context.ts';
import { readSession } from '../src/session/read.ts';
import { requestOf } from '../src/session/request.ts';
import type { Session } from '../src/session/session.ts';
import { compare, type Measurement, time } from './bench.ts';
import { type Shape, sessionFile } from './sessionFile.ts';

const MB = 1e6;

/** Everything that `audit verify` checks in a session; throws unless every hash holds. */
function check(file: Uint8Array): Session {
  const checker = new SessionChecker();
  const { session } = readSession(memorySource(file), { visit: checker.visit });
  if (session === undefined) throw new Error('the file does not read');
  const { counts, recordFindings } = checker.finish(session);
  if (counts.verified !== counts.responses || recordFindings.length > 0) throw new Error('the file does not verify');
  return session;
}

/** Read, decode UTF-8, parse each line as JSON and hash it once. */
function floor(file: Uint8Array): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let at = 0; at < file.length; ) {
    const end = file.indexOf(0x0a, at);
    const line = file.subarray(at, end);
    JSON.parse(decoder.decode(line));
    sha256(line);
    at = end + 1;
  }
}

function whole(canonical: boolean): Measurement {
  return {
    name: `requests/everything-${canonical ? 'canonical' : 'writer-order'}`,
    most: 2,
    async measure() {
      const file = sessionFile({ turns: 6000, tools: true, size: 12_000, canonical });
      const { a, b } = await compare(
        () => check(file),
        () => floor(file),
        3,
      );
      const size = (file.length / MB).toFixed(0);
      return {
        ratio: a / b,
        detail: `${size} MB: checked in ${a.toFixed(2)} s, parsed and hashed in ${b.toFixed(2)} s`,
      };
    },
  };
}

function growth(name: string, more: Partial<Shape>): Measurement {
  return {
    name: `requests/growth-${name}`,
    most: 2.3,
    async measure() {
      const shape = { tools: false, size: 2000, canonical: true, ...more };
      const small = sessionFile({ ...shape, turns: 10_000 });
      const large = sessionFile({ ...shape, turns: 20_000 });
      const { a, b } = await compare(
        () => check(large),
        () => check(small),
        3,
      );
      return { ratio: a / b, detail: `20,000 responses ${a.toFixed(2)} s, 10,000 ${b.toFixed(2)} s` };
    },
  };
}

const againstFromStart: Measurement = {
  name: 'requests/from-start',
  least: 50,
  async measure() {
    const turns = 10_000;
    const file = sessionFile({ turns, tools: false, size: 2000, canonical: true });
    const session = check(file);
    const withChecks = await time(() => check(file));
    const without = await time(() => readSession(memorySource(file), { visit: () => {} }));
    // Each request from its start: a hundred of them, evenly spread, stand for all.
    const responses: number[] = [];
    for (let index = 0; index < session.size; index++) if (session.kind(index) === 'response') responses.push(index);
    const requests = responses
      .filter((_, i) => i % 100 === 50)
      .map((response) => {
        const built = requestContext(session, response);
        if (!built.ok) throw new Error('no context');
        return requestOf(built.context);
      });
    const sampled = await time(() => requests.map((request) => sha256(request)));
    const fromStart = (sampled * turns) / requests.length;
    const incremental = Math.max(withChecks - without, 0.001);
    return {
      ratio: fromStart / incremental,
      detail: `hashing each from its start ${fromStart.toFixed(1)} s, continuing ${incremental.toFixed(2)} s`,
    };
  },
};

export const benches: readonly Measurement[] = [
  whole(true),
  whole(false),
  growth('one-path', {}),
  growth('include', { include: true }),
  growth('image-window', { images: true }),
  growth('branches', { branches: 1000 }),
  againstFromStart,
];
