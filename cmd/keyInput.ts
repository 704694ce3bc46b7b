/** Keys named on the command line: their text, or a file that holds the text, PEM or DER. */
import { decodeUtf8 } from '../src/bytes/encoding.ts';
import { isScheme, isUnusable, parsePrivateText, parsePublicKey } from '../src/crypto/keys.ts';
import { type KeyBytes, looksLikePem, readKeyDer, readPem } from '../src/crypto/pem.ts';
import { Unreadable } from '../src/host/files.ts';
import type { Io } from './command.ts';

/** Whether an argument is a key itself and no path. */
function isKeyText(argument: string): boolean {
  const trimmed = argument.trim();
  const colon = trimmed.indexOf(':');
  return /^[0-9a-fA-F]{64}$/.test(trimmed) || (colon > 0 && isScheme(trimmed.slice(0, colon)));
}

/**
 * The key that an argument names. A private key is never taken from the command line, where other users of the machine can see it.
 *
 * @throws Unreadable with the reason.
 */
export async function keyFrom(argument: string, io: Io): Promise<KeyBytes> {
  if (argument.trim().startsWith('private:'))
    throw new Unreadable('a private key on the command line is visible to others: put it into a file');
  if (isKeyText(argument)) return fromText(argument, 'the key');
  let bytes: Uint8Array;
  try {
    bytes = io.read(argument);
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${argument}: ${error.message}`, error.tooLarge);
    throw error;
  }
  if (bytes[0] === 0x30 && !isKeyText(decodeUtf8(bytes) ?? '')) return fromDer(bytes, argument);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Unreadable(`${argument}: it is no key in text, PEM or DER`);
  if (!looksLikePem(bytes)) return fromText(text, argument);
  const der = readPem(text);
  if (der === undefined)
    throw new Unreadable(`${argument}: it is no PEM of one PUBLIC KEY or PRIVATE KEY (an encrypted key is not read)`);
  return fromDer(der, argument);
}

async function fromText(text: string, name: string): Promise<KeyBytes> {
  if (text.trim().startsWith('private:')) {
    const parsed = parsePrivateText(text);
    if ('unusable' in parsed) throw new Unreadable(`${name}: ${parsed.unusable}`);
    return { ...parsed, secret: true };
  }
  const key = await parsePublicKey(text);
  if (isUnusable(key)) throw new Unreadable(`${name}: ${key.unusable}`);
  return { scheme: key.scheme, bytes: key.bytes, secret: false };
}

function fromDer(der: Uint8Array, name: string): KeyBytes {
  const key = readKeyDer(der);
  if ('unusable' in key) throw new Unreadable(`${name}: ${key.unusable}`);
  return key;
}
