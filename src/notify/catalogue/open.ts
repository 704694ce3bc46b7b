/** Findings about the open trail (notifications 14, numbers 77 to 100). */
import { entry } from './entry.ts';

const COMPARE = 'Compare the segment with its signed leaves.';

export const OPEN_ENTRIES = {
  'notify/segment-name': entry('W', '13.12', 'The name of a segment gives no day', [
    'Segments are ordered by the day in their names; this name gives none.',
    'The segment took no part in the rules of order.',
    'Another spelling of names.',
    'Give its day in the document ("day").',
  ]),
  'notify/before-first-year': entry('E', '13.12', 'A segment or index from before there was an open trail', [
    'The open trail began in 2026; nothing of it can be older.',
    'The segment or index is not one that a notifier wrote.',
    'A wrong clock, or a made-up segment.',
    COMPARE,
  ]),
  'notify/index-order': entry('E', '13.12', 'An index is out of order', [
    'Each record of an index names a later day than the one before, of the year of the index.',
    'Segments may have been added or moved afterwards.',
    'An edited index, or a wrong clock.',
    'Compare the index with its signed leaves.',
  ]),
  'notify/index-missing-segment': entry('E', '13.12', 'No index names a segment', [
    'A segment was given that no index names.',
    'The index was cut, or the segment was made up. For the newest one a crash explains it.',
    'A crash between creating the segment and recording it, or an edited index.',
    'Give every index, then compare it with its signed leaves.',
  ]),
  'notify/segment-missing': entry('E', '13.12', 'A segment was not given', [
    'An index names a segment that is not among those given.',
    'What was listed and taken off on that day is not known.',
    'An export that left it out.',
    'Export every segment that the index names.',
  ]),
  'notify/segment-unsealed': entry('E', '13.12', 'A segment was continued without a seal', [
    'A later segment exists and this one does not end with a seal.',
    'Records at its end may have been cut off.',
    'A truncated export, or a removed seal.',
    COMPARE,
  ]),
  'notify/seal-mismatch': entry('E', '13.12', 'A seal names another segment', [
    'The seal names another continuation than the next known segment.',
    'A segment between the two may be missing, or one was added.',
    'A left-out segment, or an edited seal.',
    'Export every segment and compare.',
  ]),
  'notify/newest-sealed': entry('W', '13.12', 'The newest segment is sealed', [
    'The newest segment given ends with a seal, and the one it names was not given.',
    'What came after it is not known.',
    'An export that left out the newest segment, or a crash before its first record.',
    'Export the segment that the seal names.',
  ]),
  'notify/record-after-seal': entry('E', '13.12', 'A record stands after a seal', [
    'Nothing is appended after a seal.',
    'The record was put in afterwards, by something that is no notifier.',
    'An edited export, or a program that is no notifier.',
    COMPARE,
  ]),
  'notify/checkpoint-missing': entry('E', '13.12', 'A segment does not begin with a checkpoint', [
    'A segment that continues another begins with a checkpoint of what it carries over.',
    'What was listed before is not carried over: events may have been dropped.',
    'A removed first record, or a program that is no notifier.',
    COMPARE,
  ]),
  'notify/checkpoint-unexpected': entry('W', '13.12', 'A checkpoint where none belongs', [
    'A checkpoint is the first record of a segment that continues another, and stands nowhere else.',
    'It was passed over, or an earlier segment was left out.',
    'A left-out earlier segment, or a program that is no notifier.',
    'Export every segment from the first on.',
  ]),
  'notify/checkpoint-mismatch': entry('E', '13.12', 'A checkpoint does not continue the segment before it', [
    'The checkpoint must equal what the segment before it ended with, entry by entry; it does not.',
    'Events may have been dropped from the list of what people are owed, or put on it.',
    'An edited checkpoint, or a changed segment before it.',
    COMPARE,
  ]),
  'notify/open-time': entry('W', '13.12', 'A record is not of the day of its segment', [
    "Records of a segment are of its UTC day, a seal of a later one; this record's time is otherwise.",
    'The record may belong to another segment.',
    'A moved record, or a writer that did not fit its time to the segment.',
    COMPARE,
  ]),
  'notify/clock-at': entry('E', '13.12', 'A time was moved the wrong way', [
    "A record's time may be moved later than the writer's clock to fit the day, never earlier, and only on the open trail.",
    'The time shown is not one that a notifier writes.',
    'An edited time, or a program that is no notifier.',
    COMPARE,
  ]),
  'notify/watch-duplicate': entry('I', '13.12', 'An event was listed twice', [
    'The event was on the list when it was listed again.',
    'None: the second record was passed over.',
    'A restart between two records.',
    'Nothing needs to be done.',
  ]),
  'notify/unwatch-unlisted': entry('I', '13.12', 'An event was taken off a list that it was not on', [
    'The record had no effect.',
    'None by itself; the listing may be in a segment that was not given.',
    'A restart between two records, or a checkpoint that dropped the event.',
    'Give the earlier segments.',
  ]),
  'notify/not-listed': entry('E', '13.12', 'An event was never listed', [
    'An event whose end its receiver must hear of is listed before it is observed; this one never was.',
    'If the notifier had stopped, nothing would have shown that an all-clear is owed.',
    'A removed record, an older notifier, or segments that were left out.',
    'Give every segment of the open trail.',
  ]),
  'notify/watch-late': entry('W', '13.12', 'An event was listed late', [
    'The event was listed after it was observed.',
    'In between nothing would have shown that an all-clear may be owed.',
    'A backfill pass that listed older events, or an older process during an upgrade.',
    'Check which version observed the event.',
  ]),
  'notify/unwatch-early': entry('E', '13.12', 'An event was taken off while something was owed', [
    'The all-clear had not been acknowledged when the event was taken off the list.',
    'If delivery failed after that, nobody would have noticed.',
    'An edited time, a removed record, or a program that is no notifier.',
    COMPARE,
  ]),
  'notify/still-listed': entry('W', '13.12', 'An event is listed although nothing is owed', [
    'Everything about the event is settled and it is still on the list.',
    'None for the person; the list grows.',
    'A crash before the record was written.',
    'Run a sweep.',
  ]),
  'notify/backfill-window': entry('W', '13.12', 'The first backfill pass records no window', [
    'The first pass records how long the upgrade takes; this one does not.',
    'When the second pass may run was judged by the setting.',
    'An older notifier.',
    'Give the window that was in force with --set upgrade_window=DURATION.',
  ]),
  'notify/backfill-early': entry('E', '13.12', 'The second backfill pass ran too early', [
    'The second pass lists what older processes delivered unlisted; it must wait until none is running.',
    'Events of older processes may be on no list.',
    'An edited time, or a program that is no notifier.',
    COMPARE,
  ]),
  'notify/backfill-excess': entry('E', '13.12', 'A third backfill pass', [
    'There are at most two backfill passes.',
    'A record was put in, or the carried state was changed.',
    'An edited segment, or a program that is no notifier.',
    COMPARE,
  ]),
  'notify/backfill-second-missing': entry('W', '13.12', 'The second backfill pass never ran', [
    'A day has passed since the second pass was due.',
    'Events that an older process delivered during the upgrade may be on no list.',
    'A notifier that was not running.',
    'Run the notifier.',
  ]),
} as const;
