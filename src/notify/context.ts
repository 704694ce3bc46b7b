/** Everything a check of a trail may look at. */
import type { Instant } from '../time/instant.ts';
import type { TrailDocument } from './document.ts';
import type { TrailState } from './fold.ts';
import type { TrailModel } from './model.ts';
import type { Notes } from './notes.ts';
import type { Settings } from './settings.ts';

export interface CheckContext {
  readonly document: TrailDocument;
  readonly settings: Settings;
  /** The instant judged by (13.1). */
  readonly asOf: Instant;
  readonly state: TrailState;
  readonly model: TrailModel;
  readonly notes: Notes;
}
