/** A step while the document is built, and its emission in the order of atif-export 2.3. */
import type {
  Content,
  Json,
  JsonObject,
  Metrics,
  ObservationResult,
  Step,
  SubagentTrajectoryRef,
  ToolCall,
} from './document.ts';
import { Members } from './members.ts';

export class ResultDraft {
  readonly sourceCallId: string | undefined;
  readonly content: Content;
  readonly references: SubagentTrajectoryRef[] = [];
  readonly extra = new Members();

  constructor(sourceCallId: string | undefined, content: Content) {
    this.sourceCallId = sourceCallId;
    this.content = content;
  }

  finish(): ObservationResult {
    const extra = this.extra.finish();
    return {
      ...(this.sourceCallId === undefined ? {} : { source_call_id: this.sourceCallId }),
      ...(this.content === '' ? {} : { content: this.content }),
      ...(this.references.length === 0 ? {} : { subagent_trajectory_ref: this.references }),
      ...(extra === undefined ? {} : { extra }),
    };
  }
}

/** What only agent steps have. */
export interface AgentMembers {
  readonly modelName: string;
  readonly effort: string | number | undefined;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly metrics: Metrics | undefined;
  readonly callCount: number;
}

export class StepDraft {
  readonly source: Step['source'];
  readonly message: Content;
  readonly agent: AgentMembers | undefined;
  timestamp = '';
  isCopied = false;
  results: ResultDraft[] | undefined;
  readonly extra = new Members();
  /** Whether the step of another path that is made of the same is the same step: nothing beside `#madeOf` went into it. */
  isShareable = true;
  #madeOf = '';

  constructor(source: Step['source'], message: Content, agent?: AgentMembers) {
    this.source = source;
    this.message = message;
    this.agent = agent;
  }

  /** Notes what went into the step: an entry, in a part of its own, or a value that depends on the end of the path. */
  note(part: string): void {
    this.#madeOf += ` ${part}`;
  }

  get madeOf(): string {
    return this.#madeOf;
  }

  addResult(result: ResultDraft): void {
    this.results ??= [];
    this.results.push(result);
  }

  finish(number: number): Step {
    const { agent, results } = this;
    const extra: JsonObject | undefined = this.extra.finish();
    return {
      step_id: number,
      timestamp: this.timestamp,
      source: this.source,
      ...(agent === undefined || agent.modelName === '' ? {} : { model_name: agent.modelName }),
      ...(agent?.effort === undefined ? {} : { reasoning_effort: agent.effort }),
      message: this.message,
      ...(agent === undefined || agent.reasoning === '' ? {} : { reasoning_content: agent.reasoning }),
      ...(agent === undefined || agent.calls.length === 0 ? {} : { tool_calls: agent.calls }),
      ...(results === undefined ? {} : { observation: { results: results.map((result) => result.finish()) } }),
      ...(agent?.metrics === undefined ? {} : { metrics: agent.metrics }),
      ...(this.isCopied ? { is_copied_context: true } : {}),
      ...(agent === undefined ? {} : { llm_call_count: agent.callCount }),
      ...(extra === undefined ? {} : { extra }),
    };
  }
}

/** A reasoning effort as a document may hold it. */
export function effortOf(value: Json | undefined): string | number | undefined {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : undefined;
}
