/** The session of the demonstration: what the agent was told, what it asked for and what came of it (session-format 4.4, 5). */
import { hex, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { canonicalizeText } from '../../src/json/canonical.ts';

type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };
type Members = { readonly [name: string]: Value };

function canonical(value: Value): string {
  const bytes = canonicalizeText(utf8(JSON.stringify(value)));
  if (bytes === undefined) throw new TypeError('no JSON');
  return new TextDecoder().decode(bytes);
}

const idOf = (value: Value): string => `sha256:${hex(sha256(utf8(canonical(value))))}`;

/** Lines of a session, each entry after the one before it. */
export class SessionText {
  readonly #lines: string[];
  #leaf: string | null = null;
  constructor(header: Members) {
    this.#lines = [canonical(header)];
  }
  /** Appends an entry at a time (RFC 3339) and gives its id. */
  add(ts: string, type: string, body: Members): string {
    const parent = this.#leaf;
    const id = idOf({ type, parent, ts, content: idOf(body) });
    this.#lines.push(canonical({ id, type, parent, ts, ...body }));
    this.#leaf = id;
    return id;
  }
  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

export const CALL = 'call_7';
export const TOOL = 'pay_refund';
export const ARGS = '{"amount":"480.00","order":"1041","reason":"item arrived broken"}';

export function demoSession(): string {
  const session = new SessionText({
    type: 'session',
    format: 'agentsession/0.14',
    id: 'refund-order-1041',
    created_at: '2026-10-13T08:58:00Z',
    payload: 'openresponses/2026-04-24',
  });
  const message = (role: string, kind: string, text: string): Members => ({
    item: { type: 'message', role, content: [{ type: kind, text }] },
  });
  session.add(
    '2026-10-13T08:58:00Z',
    'item',
    message('user', 'input_text', 'Order 1041 arrived broken. I want my 480.00 back.'),
  );
  session.add('2026-10-13T08:58:04Z', 'item', {
    item: { type: 'function_call', call_id: 'call_6', name: 'find_order', arguments: '{"order":"1041"}' },
  });
  session.add('2026-10-13T08:58:05Z', 'item', {
    item: {
      type: 'function_call_output',
      call_id: 'call_6',
      output: '{"order":"1041","paid":"480.00","delivered":"2026-10-12"}',
    },
  });
  session.add('2026-10-13T08:59:00Z', 'item', {
    item: { type: 'function_call', call_id: CALL, name: TOOL, arguments: ARGS },
  });
  session.add('2026-10-13T12:06:10Z', 'item', {
    item: { type: 'function_call_output', call_id: CALL, output: '{"refund":"R-88213","paid":"480.00"}' },
  });
  session.add(
    '2026-10-13T12:06:14Z',
    'item',
    message('assistant', 'output_text', 'Your 480.00 for order 1041 are on their way (refund R-88213).'),
  );
  return session.text;
}
