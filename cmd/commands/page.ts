/** `audit page`: the empty page, a verifier that runs in any browser without a network. */
import { renderHtml } from '../../src/report/html.ts';
import type { Command } from '../command.ts';
import { OUT } from '../options.ts';
import { verifierScript } from '../package.ts';

export const pageCommand: Command = {
  name: 'page',
  summary: 'Write a stand-alone verifier: one page that verifies the files dropped on it, offline, in any browser.',
  options: [OUT],
  examples: [
    { command: 'audit page --out verifier.html', says: 'Hand this file to somebody who will never install anything.' },
    { command: 'audit page > verifier.html', says: 'The same, through standard output.' },
  ],
  run(args, io) {
    const html = renderHtml(undefined, verifierScript(io));
    const file = args.text('out');
    if (file === undefined) io.out(html);
    else io.write(file, html);
    return 0;
  },
};
