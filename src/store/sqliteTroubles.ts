/** What a database of sessions shows beside its sessions: holders, columns that disagree with their lines, damage (session-store 5). */
import { isStale } from '../durable/lock.ts';
import type { Database } from '../durable/sqlite.ts';
import { name, OBJECT, Scanner, STRING } from '../json/scan.ts';
import { catalogue } from '../session/catalogueStores.ts';
import { readHeader } from '../session/header.ts';
import { parseInstant } from '../time/instant.ts';
import type { Trouble } from './backend.ts';
import { namesOf } from './lineScan.ts';
import { sortableTime } from './sqliteSchema.ts';

interface Row {
  readonly session: string;
  readonly seq: number;
  readonly id: string;
  readonly parent: string | null;
  readonly type: string;
  readonly line: Uint8Array;
}

export function* databaseTroubles(database: Database, fileOf: (id: string) => Uint8Array): Generator<Trouble> {
  for (const fault of database.prepare('SELECT quick_check FROM pragma_quick_check').pluck().all() as string[])
    if (fault !== 'ok')
      yield { finding: catalogue.find('store/database-damaged', `the check of the database says: ${fault}`) };
  const orphans = database
    .prepare('SELECT "table" AS name, count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table"')
    .all() as { name: string; rows: number }[];
  for (const { name: table, rows } of orphans)
    yield {
      finding: catalogue.find('store/database-damaged', `${rows} rows of ${table} are of sessions that are not there`),
    };
  yield* holderTroubles(database);
  yield* sessionTroubles(database, fileOf);
  yield* entryTroubles(database);
}

function* holderTroubles(database: Database): Generator<Trouble> {
  const rows = database
    .prepare('SELECT session_id AS session, pid, host, token, since FROM holders ORDER BY session_id')
    .all() as {
    session: string;
    pid: number;
    host: string;
    token: string;
    since: string;
  }[];
  for (const { session, pid, host, token, since } of rows) {
    const where = { part: session };
    if (!isStale({ pid, host }))
      yield {
        finding: catalogue.find('store/held', `process ${pid} on ${host} holds session ${session} since ${since}`, {
          where,
        }),
      };
    else
      yield {
        finding: catalogue.find(
          'store/stale-lock',
          `process ${pid}, which held session ${session} since ${since}, is gone`,
          {
            where,
          },
        ),
        repair: () =>
          database.prepare('DELETE FROM holders WHERE session_id = ? AND token = ?').run(session, token).changes > 0,
      };
  }
}

function* sessionTroubles(database: Database, fileOf: (id: string) => Uint8Array): Generator<Trouble> {
  const rows = database
    .prepare(
      `SELECT id, created_at AS created, cwd, parent_session AS parent, name, superseded_by AS successor, CAST(header AS BLOB) AS header
         FROM sessions ORDER BY id`,
    )
    .all() as ({ [column in 'id' | 'created' | 'cwd' | 'parent' | 'name' | 'successor']: string } & {
    header: Uint8Array;
  })[];
  for (const row of rows) {
    const { header } = readHeader(row.header, 0, 1);
    if (header === undefined) continue;
    if (header.id !== row.id)
      yield {
        finding: catalogue.find(
          'store/id-differs',
          `the row of session ${row.id} holds the session ${JSON.stringify(header.id)}`,
          {
            where: { part: row.id },
            expected: row.id,
            actual: header.id,
          },
        ),
      };
    const created = parseInstant(header.createdAt.toUpperCase());
    const names = namesOf(fileOf(row.id), header.base);
    for (const [column, expected, actual] of [
      ['created_at', created === undefined ? row.created : sortableTime(created), row.created],
      ['cwd', header.cwd ?? '', row.cwd],
      ['parent_session', header.parentSession ?? '', row.parent],
      ['name', names.name ?? '', row.name],
      ['superseded_by', names.supersededBy ?? '', row.successor],
    ] as const)
      if (expected !== actual)
        yield {
          finding: catalogue.find(
            'store/row-differs',
            `the column ${column} of session ${row.id} is not what its lines say`,
            {
              where: { part: row.id },
              expected,
              actual,
            },
          ),
        };
  }
}

const MEMBERS = [name('id'), name('parent'), name('type')];

function* entryTroubles(database: Database): Generator<Trouble> {
  const scanner = new Scanner();
  const rows = database
    .prepare(
      'SELECT session_id AS session, seq, id, parent, type, CAST(line AS BLOB) AS line FROM entries ORDER BY session_id, seq',
    )
    .iterate() as Iterable<Row>;
  let session = '';
  let last = 0;
  for (const row of rows) {
    if (row.session !== session) last = 0;
    session = row.session;
    if (row.seq !== last + 1)
      yield {
        finding: catalogue.find('store/row-differs', `session ${session} goes from row ${last} to row ${row.seq}`, {
          where: { part: session, entry: row.id },
          expected: String(last + 1),
          actual: String(row.seq),
        }),
      };
    last = row.seq;
    if (!scanner.scan(row.line) || scanner.kind[0] !== OBJECT) continue;
    for (const member of MEMBERS) {
      const node = scanner.member(0, member);
      const said = node >= 0 && scanner.kind[node] === STRING ? scanner.text(node) : null;
      const column = row[member.text as 'id' | 'parent' | 'type'];
      if (said === column) continue;
      yield {
        finding: catalogue.find(
          'store/row-differs',
          `the column ${member.text} of row ${row.seq} of session ${session} is not what its line says`,
          {
            where: { part: session, entry: row.id },
            expected: said ?? 'null',
            actual: column ?? 'null',
          },
        ),
      };
    }
  }
}
