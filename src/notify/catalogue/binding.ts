/** Findings about leaves and heads (notifications 14, numbers 73 to 76, 101, 102), and about documents that cannot be used. */
import { entry } from './entry.ts';

export const BINDING_ENTRIES = {
  'notify/records-missing': entry('E', '12.2', 'A signed head covers more records than were given', [
    'The log signed a longer trail than this one.',
    'Records at the end were withheld.',
    'A truncated export, or records that were taken out.',
    'Export the whole trail; if it is that short, the log contradicts itself.',
  ]),
  'notify/head-behind': entry('I', '12.2', 'Records after the largest head are not attested', [
    'The largest head covers fewer records than were given.',
    'The later records can be changed, removed or added without anybody noticing.',
    'The trail grew since the last head, or the log was not reachable.',
    'Ask the keeper of the log for a newer head.',
  ]),
  'notify/root-mismatch': entry('E', '12.2', 'The leaves are not those that the head signed', [
    'The root over the leaves differs from the one in a signed head.',
    'At least one record, or one salt, was changed, removed, added or moved.',
    'An edited export, or leaves of another trail.',
    'Export the trail again from the store and compare.',
  ]),
  'notify/leaf-mismatch': entry('E', '12.2', 'A record is not the one of its leaf', [
    'The document shows another record than the stored leaf at this position holds.',
    'What is shown is not what the log committed to.',
    'An edited document.',
    'Judge the leaves alone: leave "records" out of the document.',
  ]),
  'notify/head-invalid': entry('E', '12.2', 'A head cannot be relied on', [
    'Its signature does not verify, it is of another trail or kind, its time is not possible, or it contradicts another head or proof.',
    'The head binds nothing; somebody may have made it up.',
    'A wrong key, a head of another trail, or a forgery.',
    'Check that the key is the log’s and that the head is of this trail.',
  ]),
  'notify/binding-unverified': entry('I', '12.2', 'The records are not shown to be those of the trail', [
    'One of the three things that bind records is absent: the stored leaves, a signed head, the key of the log.',
    'Everything found here is about records that anybody could have written.',
    'An export without leaves, no head, or no key.',
    'Give the leaves, a signed head of the trail and the key of the log.',
  ]),
  'notify/nothing-to-check': entry('E', '15', 'There is nothing to check', [
    'The document holds no record, no leaf, no head and no journal event.',
    'Nothing can be said about any notification.',
    'A wrong file, or an export of a trail that does not exist.',
    'Check the name of the trail that was exported.',
  ]),
  'notify/document-malformed': entry('U', '12.1', 'The trail document cannot be used', [
    'The document is not what its format says: a member is unknown, of another type, repeated or absent.',
    'Nothing in it was judged.',
    'A mis-spelt member, an edited file, or another format.',
    'Correct the document at the place named.',
  ]),
  'notify/leaf-malformed': entry('U', '12.2', 'A stored leaf cannot be used', [
    'A leaf is the event-leaf tag and an object of kind, event and a salt of 32 bytes, one kind for the whole trail.',
    'Leaves that are none cannot be held against a head.',
    'Leaves of another version or of another log, or an edited export.',
    'Export the trail again from the store.',
  ]),
  'notify/head-malformed': entry('U', '12.2', 'A head in the document cannot be used', [
    'The head is of another format or of a shape that no head has.',
    'It cannot be held against the leaves.',
    'A head of another version, or an edited file.',
    'Ask the keeper of the log for the head again.',
  ]),
  'notify/routing-invalid': entry('U', '10', 'The routing cannot be used', [
    'A receiver has no valid name, a kind cannot be routed, or a chain has no step or more than four.',
    'Receivers and escalation cannot be judged by it.',
    'A routing file with a mistake that the notifier would refuse as well.',
    'Correct the routing at the place named.',
  ]),
  'notify/too-many-records': entry('U', '15', 'The trail holds more records than are read', [
    'A trail, segment or index of more than 2 000 000 records is not read.',
    'Nothing in it was judged.',
    'Several trails in one file.',
    'Export the trails one by one.',
  ]),
} as const;
