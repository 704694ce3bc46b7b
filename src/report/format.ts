/** The formats of a report by name. A renderer is loaded when it is asked for; each is a pure function of the report. */
import type { Report } from '../verify/report.ts';

export const FORMATS = ['text', 'json', 'ndjson', 'sarif', 'junit', 'github', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** How the place of output differs; affects `text` alone. */
export interface Surface {
  readonly colour: boolean;
  /** Columns. */
  readonly width: number;
}

/** Renders a whole report. */
export async function render(report: Report, format: Format, surface: Surface): Promise<string> {
  switch (format) {
    case 'text':
      return (await import('./text.ts')).renderText(report, surface);
    case 'json':
      return (await import('./json.ts')).renderJson(report);
    case 'ndjson':
      return (await import('./json.ts')).renderNdjson(report);
    default:
      throw new Error(`no renderer for ${format}`);
  }
}
