/** The contract of design/cli.md that holds for every command. */
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cmd/commands.ts';
import { nearest } from '../../cmd/nearest.ts';
import { TOOL } from '../../src/verify/tool.ts';
import { audit, packageJson } from './io.ts';

describe('every command', async () => {
  for (const row of COMMANDS) {
    const command = await row.load();
    it(`audit ${row.name} --help gives at least two examples and ends with 0`, async () => {
      const { status, out, err } = await audit([...row.name.split(' '), '--help']);
      expect(status).toBe(0);
      expect(err).toBe('');
      expect(command.name).toBe(row.name);
      expect(command.examples.length).toBeGreaterThanOrEqual(2);
      for (const example of command.examples) expect(out).toContain(example.command);
      for (const option of command.options) expect(out).toContain(`--${option.name}`);
      for (const line of out
        .split('\n')
        .filter((text) => !command.examples.some((example) => text.includes(example.command)))) {
        expect(line.length).toBeLessThanOrEqual(100);
      }
    });

    it(`audit ${row.name} refuses an unknown option before it opens a file`, async () => {
      const { status, err, out } = await audit([...row.name.split(' '), '/no/such/file', '--no-such-option']);
      expect([status, out]).toEqual([2, '']);
      expect(err).toContain('--no-such-option');
    });
  }

  it('names the nearest known option', async () => {
    const { status, err } = await audit(['verify', '--trsut', 'x', 'y']);
    expect(status).toBe(2);
    expect(err).toContain('did you mean --trust?');
  });

  it('refuses single-dash options', async () => {
    expect((await audit(['verify', '-q', 'x'])).status).toBe(2);
  });

  it('names the nearest known command', async () => {
    const { status, err } = await audit(['verfiy', 'x']);
    expect(status).toBe(2);
    expect(err).toContain('did you mean "verify"?');
  });

  it('lists the commands of a family on its --help with 0, and names the page to read after a wrong line', async () => {
    for (const argv of [
      ['bundle', '--help'],
      ['help', 'bundle'],
    ]) {
      const { status, out } = await audit(argv);
      expect(status).toBe(0);
      for (const name of ['bundle emit', 'bundle inspect', 'bundle redact']) expect(out).toContain(name);
      expect(out).not.toContain('record new');
    }
    expect((await audit(['bundle'])).err).toContain('Try "audit bundle --help"');
    expect((await audit(['verify', '--nothing'])).err).toContain('Try "audit verify --help"');
    expect((await audit(['nothing'])).err).toContain('Try "audit --help"');
  });

  it('knows a finding code by its condition alone, and an option by its beginning', async () => {
    expect((await audit(['explain', 'id-mismatch'])).err).toContain('did you mean session/id-mismatch?');
    expect((await audit(['redact', '--secret', 'x'])).err).toContain('did you mean --secret-env?');
  });

  it('lists commands on --help with 0, and without arguments as a usage error', async () => {
    const help = await audit(['--help']);
    expect(help.status).toBe(0);
    for (const row of COMMANDS) expect(help.out).toContain(row.name);
    const bare = await audit([]);
    expect([bare.status, bare.out]).toEqual([2, '']);
  });

  it('says the version of package.json', async () => {
    expect((await audit(['--version'])).out).toBe(`audit ${packageJson.version}\n`);
    expect(TOOL.version).toBe(packageJson.version);
  });

  it('refuses a time that is none, a format that is none, and two formats for one place', async () => {
    expect((await audit(['verify', 'x', '--at', 'yesterday'])).status).toBe(2);
    expect((await audit(['verify', 'x', '--format', 'pdf'])).status).toBe(2);
    expect((await audit(['verify', 'x', '--format', 'json', '--format', 'text'])).status).toBe(2);
  });

  it('gives 4 for a missing file and still reports it as an input', async () => {
    const { status, out } = await audit(['verify', '/no/such/file', '--format', 'json']);
    expect(status).toBe(4);
    const report = JSON.parse(out) as { totals: { inputs: number }; inputs: { findings: { code: string }[] }[] };
    expect(report.totals.inputs).toBe(1);
    expect(report.inputs[0]?.findings[0]?.code).toBe('input/unreadable');
  });

  it('does not read the clock where no time rule applies', async () => {
    const { out } = await audit(['verify', '/no/such/file', '--format', 'json']);
    expect((JSON.parse(out) as { as_of: unknown }).as_of).toBeNull();
  });
});

describe('the nearest word', () => {
  it('is within a third of the length, or none', () => {
    expect(nearest('tust', ['trust', 'at'])).toBe('trust');
    expect(nearest('entirely', ['trust', 'at'])).toBeUndefined();
  });
});
