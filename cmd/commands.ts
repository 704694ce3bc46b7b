/** All commands of `audit`, in the order of the help page. A command's module is loaded when it is called. */
import type { Command } from './command.ts';

export interface CommandRow {
  readonly name: string;
  load(): Promise<Command>;
}

export const COMMANDS: readonly CommandRow[] = [
  { name: 'verify', load: async () => (await import('./commands/verify.ts')).verifyCommand },
  { name: 'notifications', load: async () => (await import('./commands/notifications.ts')).notificationsCommand },
  { name: 'approvals', load: async () => (await import('./commands/approvals.ts')).approvalsCommand },
  { name: 'show', load: async () => (await import('./commands/show.ts')).showCommand },
  { name: 'export', load: async () => (await import('./commands/export.ts')).exportCommand },
  { name: 'list', load: async () => (await import('./commands/list.ts')).listCommand },
  { name: 'record new', load: async () => (await import('./commands/record.ts')).recordNewCommand },
  { name: 'record append', load: async () => (await import('./commands/record.ts')).recordAppendCommand },
  { name: 'record fork', load: async () => (await import('./commands/record.ts')).recordForkCommand },
  { name: 'record continue', load: async () => (await import('./commands/record.ts')).recordContinueCommand },
  { name: 'record label', load: async () => (await import('./commands/record.ts')).recordLabelCommand },
  { name: 'record run', load: async () => (await import('./commands/record.ts')).recordRunCommand },
  { name: 'record import', load: async () => (await import('./commands/record.ts')).recordImportCommand },
  { name: 'redact', load: async () => (await import('./commands/redact.ts')).redactCommand },
  { name: 'store verify', load: async () => (await import('./commands/store.ts')).storeVerifyCommand },
  { name: 'store repair', load: async () => (await import('./commands/store.ts')).storeRepairCommand },
  { name: 'store break-lock', load: async () => (await import('./commands/store.ts')).storeBreakLockCommand },
  { name: 'journal show', load: async () => (await import('./commands/journal.ts')).journalShowCommand },
  { name: 'journal status', load: async () => (await import('./commands/journal.ts')).journalStatusCommand },
  { name: 'journal events', load: async () => (await import('./commands/journal.ts')).journalEventsCommand },
  { name: 'journal render', load: async () => (await import('./commands/journal.ts')).journalRenderCommand },
  { name: 'journal new', load: async () => (await import('./commands/journal.ts')).journalNewCommand },
  { name: 'journal append', load: async () => (await import('./commands/journal.ts')).journalAppendCommand },
  { name: 'journal decide', load: async () => (await import('./commands/journal.ts')).journalDecideCommand },
  { name: 'journal resolve', load: async () => (await import('./commands/journal.ts')).journalResolveCommand },
  { name: 'keys gen', load: async () => (await import('./commands/keys.ts')).keysGenCommand },
  { name: 'keys id', load: async () => (await import('./commands/keys.ts')).keysIdCommand },
  { name: 'keys convert', load: async () => (await import('./commands/keys.ts')).keysConvertCommand },
  { name: 'trust init', load: async () => (await import('./commands/trust.ts')).trustInitCommand },
  { name: 'trust add', load: async () => (await import('./commands/trust.ts')).trustAddCommand },
  { name: 'trust show', load: async () => (await import('./commands/trust.ts')).trustShowCommand },
  { name: 'head sign', load: async () => (await import('./commands/headSign.ts')).headSignCommand },
  { name: 'head verify', load: async () => (await import('./commands/headVerify.ts')).headVerifyCommand },
  { name: 'head compare', load: async () => (await import('./commands/headCompare.ts')).headCompareCommand },
  { name: 'head checkpoint', load: async () => (await import('./commands/headCheckpoint.ts')).headCheckpointCommand },
  { name: 'prove inclusion', load: async () => (await import('./commands/proveInclusion.ts')).proveInclusionCommand },
  {
    name: 'prove consistency',
    load: async () => (await import('./commands/proveConsistency.ts')).proveConsistencyCommand,
  },
  { name: 'prove absence', load: async () => (await import('./commands/proveAbsence.ts')).proveAbsenceCommand },
  { name: 'evidence emit', load: async () => (await import('./commands/evidenceEmit.ts')).evidenceEmitCommand },
  {
    name: 'evidence inspect',
    load: async () => (await import('./commands/evidenceInspect.ts')).evidenceInspectCommand,
  },
  { name: 'evidence redact', load: async () => (await import('./commands/evidenceRedact.ts')).evidenceRedactCommand },
  { name: 'bundle emit', load: async () => (await import('./commands/bundleEmit.ts')).bundleEmitCommand },
  { name: 'bundle inspect', load: async () => (await import('./commands/bundleInspect.ts')).bundleInspectCommand },
  { name: 'bundle redact', load: async () => (await import('./commands/bundleRedact.ts')).bundleRedactCommand },
  { name: 'attest', load: async () => (await import('./commands/attest.ts')).attestCommand },
  { name: 'render', load: async () => (await import('./commands/render.ts')).renderCommand },
  { name: 'merge', load: async () => (await import('./commands/merge.ts')).mergeCommand },
  { name: 'page', load: async () => (await import('./commands/page.ts')).pageCommand },
  { name: 'explain', load: async () => (await import('./commands/explain.ts')).explainCommand },
  { name: 'schema', load: async () => (await import('./commands/schema.ts')).schemaCommand },
  { name: 'completion', load: async () => (await import('./commands/completion.ts')).completionCommand },
];

/** The command that the first words name, the longer name first, and the words that follow; undefined if none does. */
export function findCommand(argv: readonly string[]): { row: CommandRow; rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const row = COMMANDS.find((candidate) => candidate.name === argv.slice(0, words).join(' '));
    if (row !== undefined) return { row, rest: argv.slice(words) };
  }
  return undefined;
}
