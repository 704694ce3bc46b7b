/** The formats of a report by name. A renderer is loaded when it is asked for; each is a pure function of the report. */
import type { CatalogueEntry } from '../finding/catalogue.ts';
import type { Report } from '../verify/report.ts';

export const FORMATS = ['text', 'json', 'ndjson', 'sarif', 'junit', 'github', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** What a renderer may know beside the report. Colour, width and height affect `text` alone. */
export interface Surface {
  readonly colour: boolean;
  /** Columns. */
  readonly width: number;
  /** Rows of a terminal: the text of one input that does not verify is kept to them. Absent where nothing scrolls away. */
  readonly height?: number;
  /** Every finding code's entry, loaded when a format prints explanations. */
  catalogue(): Promise<ReadonlyMap<string, CatalogueEntry>>;
  /** Source of the browser bundle, which the page carries. */
  verifier(): string;
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
    case 'sarif':
      return (await import('./sarif.ts')).renderSarif(report, await surface.catalogue());
    case 'junit':
      return (await import('./junit.ts')).renderJunit(report);
    case 'github':
      return (await import('./github.ts')).renderGithub(report);
    case 'html':
      return (await import('./html.ts')).renderHtml(report, surface.verifier());
  }
}
