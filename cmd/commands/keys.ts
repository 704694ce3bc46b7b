/** `audit keys gen|id|convert`: signing keys, their text forms and identities (audit spec 0.8). */

import { hex } from '../../src/bytes/encoding.ts';
import {
  formatPrivateKey,
  generatePrivateBytes,
  importPublicKey,
  isScheme,
  isUnusable,
  SCHEMES,
} from '../../src/crypto/keys.ts';
import { type KeyBytes, publicBytes, writeKeyDer, writePem } from '../../src/crypto/pem.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import { Unreadable } from '../../src/host/files.ts';
import { type Args, type Command, type Option, UsageError } from '../command.ts';
import { keyFrom } from '../keyInput.ts';

const FORMS = ['text', 'pem', 'der'] as const;
type Form = (typeof FORMS)[number];

const TO: Option = {
  name: 'to',
  type: 'text',
  placeholder: 'FORM',
  choices: FORMS,
  describe: 'text (<scheme>:<hex>), pem or der.',
};

export const keysGenCommand: Command = {
  name: 'keys gen',
  summary: 'Make a new key pair: the private key into a file that only you can read, the public one printed.',
  options: [
    {
      name: 'scheme',
      type: 'text',
      placeholder: 'NAME',
      choices: SCHEMES,
      describe: `${SCHEMES.join(', ')}; ed25519 if not given.`,
    },
    { name: 'out', type: 'text', placeholder: 'FILE', describe: 'Where the private key goes. Never overwritten.' },
    TO,
  ],
  examples: [
    { command: 'audit keys gen --out log.key', says: 'An Ed25519 key for a log; the public key is printed.' },
    {
      command: 'audit keys gen --scheme ecdsa-p256 --to pem --out approver.pem',
      says: 'A P-256 key as PKCS#8 PEM, for programs that read that.',
    },
  ],
  async run(args, io) {
    const out = args.need('out');
    const scheme = args.text('scheme') ?? 'ed25519';
    if (!isScheme(scheme)) throw new UsageError(`--scheme takes ${SCHEMES.join(', ')}; not ${JSON.stringify(scheme)}`);
    const form = formOf(args);
    const key: KeyBytes = { scheme, bytes: await generatePrivateBytes(scheme), secret: true };
    io.write(out, await written(key, form), { secret: true });
    io.out(`${textOf(await publicOf(key))}\n`);
    return 0;
  },
};

export const keysIdCommand: Command = {
  name: 'keys id',
  summary: 'Say what a key is: its text form and the identities that gates and reports know it by.',
  positional: '<key...>',
  options: [],
  examples: [
    { command: 'audit keys id approver.pem', says: 'The text form and the identity of a key in a PEM or DER file.' },
    {
      command: 'audit keys id ed25519:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8',
      says: 'The identity of a key given as text; a weak key is refused.',
    },
  ],
  async run(args, io) {
    if (args.positional.length === 0) throw new UsageError('"audit keys id" needs a key');
    for (const argument of args.positional) {
      const key = await publicOf(await keyFrom(argument, io));
      io.out(`${textOf(key)}\n${key.identities.map((identity) => `  identity ${identity}\n`).join('')}`);
    }
    return 0;
  },
};

export const keysConvertCommand: Command = {
  name: 'keys convert',
  summary: 'Write a key in another form: text, PEM or DER; or only its public part.',
  positional: '<key>',
  options: [
    TO,
    { name: 'public', type: 'flag', describe: 'The public key of a private one.' },
    {
      name: 'out',
      type: 'text',
      placeholder: 'FILE',
      describe: 'Write the key here; needed for a private key and for DER.',
    },
  ],
  examples: [
    { command: 'audit keys convert approver.pem', says: 'The key as <scheme>:<hex>, as trust files name it.' },
    {
      command: 'audit keys convert log.key --public --to pem --out log.pub.pem',
      says: 'The public part of a private key, as PEM.',
    },
  ],
  async run(args, io) {
    const [argument] = args.positional;
    if (argument === undefined || args.positional.length > 1)
      throw new UsageError('"audit keys convert" takes one key');
    const form = formOf(args);
    const out = args.text('out');
    if (form === 'der' && out === undefined) throw new UsageError('DER is not text: name a file with --out');
    const key = await keyFrom(argument, io);
    const wanted = args.flag('public') ? bytesOf(await publicOf(key)) : key;
    // Importing tells a key that cannot be used before anything is written.
    await publicOf(wanted);
    if (wanted.secret && out === undefined)
      throw new UsageError('a private key is not printed: name a file with --out, or ask for --public');
    const bytes = await written(wanted, form);
    if (out === undefined) io.out(bytes);
    else io.write(out, bytes, wanted.secret ? { secret: true } : {});
    return 0;
  },
};

function formOf(args: Args): Form {
  const text = args.text('to') ?? 'text';
  const form = FORMS.find((known) => known === text);
  if (form === undefined) throw new UsageError(`--to takes ${FORMS.join(', ')}; not ${JSON.stringify(text)}`);
  return form;
}

async function publicOf(key: KeyBytes): Promise<PublicKey> {
  const bytes = await publicBytes(key);
  const imported = 'unusable' in bytes ? bytes : await importPublicKey(bytes.scheme, bytes.bytes);
  if (isUnusable(imported)) throw new Unreadable(`the key cannot be used: ${imported.unusable}`);
  return imported;
}

function bytesOf({ scheme, bytes }: PublicKey): KeyBytes {
  return { scheme, bytes, secret: false };
}

function textOf({ scheme, bytes }: Pick<KeyBytes, 'scheme' | 'bytes'>): string {
  return `${scheme}:${hex(bytes)}`;
}

async function written(key: KeyBytes, form: Form): Promise<string | Uint8Array> {
  if (form === 'text') return `${key.secret ? formatPrivateKey(key.scheme, key.bytes) : textOf(key)}\n`;
  const der = await writeKeyDer(key);
  if (der === undefined) throw new UsageError(`${key.scheme} keys have a text form only`);
  return form === 'der' ? der : writePem(der, key.secret);
}
