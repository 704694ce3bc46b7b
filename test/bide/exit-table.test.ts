import { describe, expect, it } from 'vitest';
import { statusOf } from '../../cmd/bide/session.ts';
import { exitTable } from '../../conformance/exitTable.ts';
import type { FindingClass } from '../../src/finding/finding.ts';
import { vector } from '../evidence/fixtures.ts';
import { bide } from './memory.ts';

interface TableCase {
  readonly verb: string;
  readonly case: string;
  readonly exit: number;
}
const table = vector<readonly TableCase[]>('public', 'cli_exit_table', 'cases');
const exits = await exitTable(vector);

describe('the exit statuses of audit spec 6.2', () => {
  it('are all asked for, and nothing else', () => {
    expect(Object.keys(exits.commands).sort()).toEqual(table.map((item) => `${item.verb}: ${item.case}`).sort());
    expect(table).toHaveLength(118);
  });

  it.each(table.map((item) => [`${item.verb}: ${item.case}`, item.exit] as const))(
    '%s gives %i',
    async (name, exit) => {
      for (const command of exits.commands[name] ?? []) {
        const args = command === '' ? [] : command.split(' ');
        const run = await bide(args, exits.files, exits);
        expect(run.status, `${command}\n${run.out}${run.err}`).toBe(exit);
        if (exit === 2) expect(run.opened).toEqual([]);
        if (args.includes('-version') || args.includes('--version')) continue;
        const json = await bide(
          args[0] === 'audit' ? ['audit', '-json', ...args.slice(1)] : ['-json', ...args],
          exits.files,
          exits,
        );
        expect(json.status).toBe(exit);
        const envelope = JSON.parse(json.out) as {
          readonly exit_code: number;
          readonly result: string;
          readonly verified: boolean;
          readonly artifact?: object;
        };
        expect(envelope.exit_code).toBe(exit);
        const emits = args[0]?.startsWith('prove') === true;
        expect(envelope.result).toBe(
          ['verified', 'not_verified', 'usage_error', 'no_verdict', 'unusable_input'][exit]?.replace(
            'verified',
            exit === 0 && emits ? 'produced' : 'verified',
          ),
        );
        expect(envelope.verified).toBe(exit === 0 && !emits);
        expect(envelope.artifact !== undefined).toBe(exit === 0 && emits);
      }
    },
  );

  const classes: Readonly<Record<string, FindingClass>> = {
    not_verified: 'not_verified',
    unusable: 'unusable',
    no_verdict: 'no_verdict',
    unclassified: 'no_verdict',
    'output could not be written': 'no_verdict',
  };
  it.each(
    vector<readonly { errors: readonly string[]; exit: number }[]>('public', 'cli_exit_table', 'error_class_precedence')
      .filter(({ errors }) => !errors.includes('usage'))
      .map((item) => [item.errors.join(' and ') || 'nothing', item] as const),
  )('of combined errors: %s', (_, { errors, exit }) => {
    expect(statusOf(errors.map((error) => classes[error] as FindingClass))).toBe(exit);
  });
});
