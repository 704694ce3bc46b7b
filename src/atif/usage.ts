/** Tokens and prices of model calls: openresponses 7, atif-export 7.3. */
import { isObject, type Json, type JsonObject, member } from './document.ts';

export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** As recorded. */
  readonly raw: JsonObject;
}

/** The price of one call in dollars: of the usage under a model name. Undefined where there is no price; 0 is a price. */
export type Cost = (model: string, usage: Usage) => number | undefined;

/** A recorded usage; a counter that is missing or no integer reads as 0. */
export function usageOf(raw: Json | undefined): Usage | undefined {
  if (!isObject(raw)) return undefined;
  return {
    input: count(raw, 'input_tokens'),
    output: count(raw, 'output_tokens'),
    cached: count(member(raw, 'input_tokens_details'), 'cached_tokens'),
    reasoning: count(member(raw, 'output_tokens_details'), 'reasoning_tokens'),
    raw,
  };
}

/** Whether a value has the usage shape, where a rule asks for it. */
export function hasUsageShape(raw: Json | undefined): boolean {
  return (
    ['input_tokens', 'output_tokens', 'total_tokens'].every((name) => Number.isInteger(member(raw, name))) &&
    isObject(member(raw, 'input_tokens_details')) &&
    isObject(member(raw, 'output_tokens_details'))
  );
}

function count(object: Json | undefined, name: string): number {
  const value = member(object, name);
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}
