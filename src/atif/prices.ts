/**
 * A price table as a file (`audit.prices.v1`): dollars per million tokens, by model. What it prices is asked for by the name that a request
 * was sent with (atif-export 7.3); `*` stands for every model that is not named.
 */
import { type JsonMember, type JsonNode, type JsonObject, parseTree } from '../json/tree.ts';
import type { Cost } from './usage.ts';

export const PRICES_FORMAT = 'audit.prices.v1';

interface Price {
  readonly input: number;
  readonly output: number;
  /** Undefined: as other input. */
  readonly cached: number | undefined;
}

export type Prices =
  | { readonly ok: true; readonly cost: Cost }
  | { readonly ok: false; readonly message: string; readonly pointer: string };

/** Reads a price table. A table that is not exactly of the format is refused: a wrong price is worse than none. */
export function readPrices(bytes: Uint8Array): Prices {
  const refuse = (message: string, pointer = ''): Prices => ({ ok: false, message, pointer });
  const parsed = parseTree(bytes);
  if (!parsed.ok) return refuse(`it is not JSON: ${parsed.problem.message}`);
  const { root } = parsed;
  if (root.kind !== 'object') return refuse('it is not an object');
  const members = membersOf(root);
  if (members === undefined) return refuse('a member stands twice');
  const format = members.get('format');
  if (format?.kind !== 'string' || format.value !== PRICES_FORMAT)
    return refuse(`its format is not ${PRICES_FORMAT}`, '/format');
  const models = members.get('models');
  if (members.size !== 2 || models?.kind !== 'object') return refuse('it holds format and models, and nothing else');
  const rows = membersOf(models);
  if (rows === undefined) return refuse('a model stands twice', '/models');
  const prices = new Map<string, Price>();
  for (const [model, node] of rows) {
    const price = priceOf(node);
    if (price === undefined)
      return refuse(
        `the price of ${JSON.stringify(model.slice(0, 80))} is not {"input", "output", "cached"?} in dollars per million tokens`,
        '/models',
      );
    prices.set(model, price);
  }
  return { ok: true, cost: costBy(prices) };
}

function costBy(prices: ReadonlyMap<string, Price>): Cost {
  return (model, usage) => {
    const price = prices.get(model) ?? prices.get('*');
    if (price === undefined) return undefined;
    const { input, output, cached } = price;
    const sent =
      cached === undefined
        ? (usage.input * input) / 1e6
        : ((usage.input - usage.cached) * input) / 1e6 + (usage.cached * cached) / 1e6;
    return sent + (usage.output * output) / 1e6;
  };
}

function priceOf(node: JsonNode): Price | undefined {
  const members = node.kind === 'object' ? membersOf(node) : undefined;
  if (members === undefined) return undefined;
  const [input, output] = [numberIn(members, 'input'), numberIn(members, 'output')];
  const cached = numberIn(members, 'cached');
  const isWhole = members.size === (members.has('cached') ? 3 : 2) && members.has('cached') === (cached !== undefined);
  return isWhole && input !== undefined && output !== undefined ? { input, output, cached } : undefined;
}

function numberIn(members: ReadonlyMap<string, JsonNode>, name: string): number | undefined {
  const node = members.get(name);
  const value = node?.kind === 'number' ? Number(node.text) : Number.NaN;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Members by name; undefined when one stands twice. */
function membersOf(object: JsonObject): ReadonlyMap<string, JsonNode> | undefined {
  const members = new Map(object.members.map(({ name, value }: JsonMember) => [name, value]));
  return members.size === object.members.length ? members : undefined;
}
