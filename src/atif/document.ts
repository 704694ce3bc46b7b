/**
 * An ATIF v1.8 document as values: atif-export 2. Members that the format does not declare stay where they were read. A document is never
 * changed in place: what rewrites one (redactors, spilling) gives a new one, so that documents of one session may share what they have
 * in common.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Absent and null mean the same (atif-export 2). */
type Optional<T> = T | null;

export const SCHEMA_VERSION = 'ATIF-v1.8';

/** The versions that may be written or read as current (2.1). */
export const SCHEMA_VERSIONS = Array.from({ length: 9 }, (_, minor) => `ATIF-v1.${minor}`);

/** What all of them begin with (V01). */
export const SCHEMA_FAMILY = 'ATIF-v1.';

export interface AtifDocument {
  readonly schema_version: string;
  readonly session_id?: Optional<string>;
  readonly trajectory_id?: Optional<string>;
  readonly agent: Agent;
  readonly steps: readonly Step[];
  readonly notes?: Optional<string>;
  readonly final_metrics?: Optional<FinalMetrics>;
  readonly continued_trajectory_ref?: Optional<string>;
  readonly extra?: Optional<JsonObject>;
  readonly subagent_trajectories?: Optional<readonly AtifDocument[]>;
}

export interface Agent {
  readonly name: string;
  readonly version: string;
  readonly model_name?: Optional<string>;
  readonly tool_definitions?: Optional<readonly JsonObject[]>;
  readonly extra?: Optional<JsonObject>;
}

export interface Step {
  readonly step_id: number;
  readonly timestamp?: Optional<string>;
  readonly source: 'system' | 'user' | 'agent';
  readonly model_name?: Optional<string>;
  readonly reasoning_effort?: Optional<string | number>;
  readonly message: Content;
  readonly reasoning_content?: Optional<string>;
  readonly tool_calls?: Optional<readonly ToolCall[]>;
  readonly observation?: Optional<Observation>;
  readonly metrics?: Optional<Metrics>;
  readonly is_copied_context?: Optional<boolean>;
  readonly llm_call_count?: Optional<number>;
  readonly extra?: Optional<JsonObject>;
}

export type Content = string | readonly ContentPart[];

export type ContentPart = TextPart | MediaPart;
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly source?: null;
}
export interface MediaPart {
  readonly type: 'image' | 'audio';
  readonly text?: null;
  readonly source: MediaSource;
}
export interface MediaSource {
  readonly media_type: string;
  readonly path: string;
  readonly duration_sec?: Optional<number>;
}

export interface ToolCall {
  readonly tool_call_id: string;
  readonly function_name: string;
  readonly arguments: JsonObject;
  readonly extra?: Optional<JsonObject>;
}

export interface Observation {
  readonly results: readonly ObservationResult[];
}
export interface ObservationResult {
  readonly source_call_id?: Optional<string>;
  readonly content?: Optional<Content>;
  readonly subagent_trajectory_ref?: Optional<readonly SubagentTrajectoryRef[]>;
  readonly extra?: Optional<JsonObject>;
}
export interface SubagentTrajectoryRef {
  readonly trajectory_id?: Optional<string>;
  readonly session_id?: Optional<string>;
  readonly trajectory_path?: Optional<string>;
  readonly extra?: Optional<JsonObject>;
}

export interface Metrics {
  readonly prompt_tokens?: Optional<number>;
  readonly completion_tokens?: Optional<number>;
  readonly cached_tokens?: Optional<number>;
  readonly cost_usd?: Optional<number>;
  readonly prompt_token_ids?: Optional<readonly number[]>;
  readonly completion_token_ids?: Optional<readonly number[]>;
  readonly logprobs?: Optional<readonly number[]>;
  readonly extra?: Optional<JsonObject>;
}

export interface FinalMetrics {
  readonly total_prompt_tokens?: Optional<number>;
  readonly total_completion_tokens?: Optional<number>;
  readonly total_cached_tokens?: Optional<number>;
  readonly total_cost_usd?: Optional<number>;
  readonly total_steps?: Optional<number>;
  readonly extra?: Optional<JsonObject>;
}

/** Text of a content: the string, or its text parts with nothing between (2.4). */
export function textOfContent(content: Content | null | undefined): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** An own member of an object; `undefined` for what is no object, and for what an object only inherits. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value of a string member. */
export function textMember(value: Json | undefined, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}
