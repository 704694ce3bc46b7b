/** Options that mean the same in every command (design/cli.md). */
import { FORMATS } from '../src/report/format.ts';
import type { Option } from './command.ts';

export const TRUST: Option = {
  name: 'trust',
  type: 'text',
  repeatable: true,
  placeholder: 'FILE',
  describe:
    'Whom and what you trust: keys, policies, anchors (audit.trust.v1). Several are merged; a conflict is an error.',
};
export const AT: Option = {
  name: 'at',
  type: 'text',
  placeholder: 'TIME',
  describe: 'The instant to judge by, RFC 3339. Without it the clock is read once, only when a time rule applies.',
};
export const ENTRY: Option = { name: 'entry', type: 'text', placeholder: 'ID', describe: 'An entry of a session.' };
export const ENTRY_SHOWN: Option = {
  ...ENTRY,
  describe: 'An entry of a session: its id, or the beginning of it that audit show prints.',
};
export const RUN: Option = {
  name: 'run',
  type: 'text',
  placeholder: 'ID',
  describe: 'The run, for a journal given as one stored record a line: signatures are over it.',
};
export const REQUIRE: Option = {
  name: 'require',
  type: 'text',
  repeatable: true,
  placeholder: 'CLAIM[,CLAIM]',
  describe: 'Claims that must be verified, in place of the defaults of the kind.',
};
export const EXPECT_ID: Option = {
  name: 'expect-id',
  type: 'text',
  repeatable: true,
  placeholder: 'ID',
  describe: 'An entry that the input must hold.',
};
export const EXPECT_LEAF: Option = {
  name: 'expect-leaf',
  type: 'text',
  placeholder: 'ID',
  describe: 'The leaf that a session must resolve to.',
};
export const HEAD: Option = {
  name: 'head',
  type: 'text',
  repeatable: true,
  placeholder: 'FILE',
  describe: 'A signed head, checkpoint or proof of what the input is part of.',
};
export const STATUS: Option = {
  name: 'status',
  type: 'text',
  repeatable: true,
  placeholder: 'DIR',
  describe: 'A folder of archived certificates, CRLs, OCSP responses and time-stamp tokens.',
};
export const MEDIA_DIR: Option = {
  name: 'media-dir',
  type: 'text',
  repeatable: true,
  placeholder: 'DIR',
  describe: 'A folder of the media files that sessions keep beside themselves, named by their hashes.',
};
export const FORMAT: Option = {
  name: 'format',
  type: 'text',
  repeatable: true,
  placeholder: 'F[=FILE]',
  suggests: FORMATS,
  describe: 'text, json, ndjson, sarif, junit, github or html; with =FILE written there.',
};
export const OUT: Option = { name: 'out', type: 'text', placeholder: 'FILE', describe: 'Write the result here.' };
export const QUIET: Option = { name: 'quiet', type: 'flag', describe: 'Print nothing; the exit status says it.' };
