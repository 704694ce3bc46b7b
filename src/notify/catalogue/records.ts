/** Findings about records, their order, claims and acknowledgements (notifications 14, numbers 1 to 20 and 58 to 64). */
import { entry } from './entry.ts';

const ASK_STORE = 'Ask who keeps the trail how this record came to be written, and compare with the signed leaves.';
const NOT_A_NOTIFIER =
  'Another program wrote to the trail, or its store lost the property that one append wins a position.';

export const RECORD_ENTRIES = {
  'notify/malformed-record': entry('E', '4.3', 'A record is not usable', [
    'The record lacks what every record of its kind has, or a member of it cannot be read.',
    'It counts for nothing: what it was meant to show is not shown.',
    'A program that is no notifier wrote it, the file was edited, or a record was damaged.',
    'Compare the record with the leaf stored for it.',
  ]),
  'notify/unknown-kind': entry('I', '4.1', 'A record is of a kind that is not known here', [
    'The record was passed over. A later version of the notifier may write kinds that this program does not know.',
    'Whatever it says was not judged.',
    'A newer notifier.',
    'Update this program if a newer notifier is in use.',
  ]),
  'notify/misplaced-record': entry('W', '13.2', 'A record stands in a trail of another sort', [
    'Run trails, open segments and indexes hold different kinds of record; this one belongs elsewhere.',
    'It was passed over here, and it may be missing where it belongs.',
    'Records of two trails were mixed in one file, or a writer used the wrong trail name.',
    'Export the trails one by one.',
  ]),
  'notify/run-mismatch': entry('E', '13.2', 'A record is about another run', [
    'The run that the record names is neither the run of this trail nor a sub-run of it.',
    'The trail mixes histories: what it shows may have happened elsewhere.',
    'Records of several trails in one file, or an edited record.',
    'Export the trail of this run again and compare.',
  ]),
  'notify/future-record': entry('W', '13.2', 'A record is later than the time of judgement', [
    'The record carries a time after the instant by which this trail is judged.',
    'Lateness and deadlines are judged as of an earlier moment than the trail itself shows.',
    'A judgement time that is too early, or a writer whose clock is ahead.',
    'Give a later time with --at, or none.',
  ]),
  'notify/time-backwards': entry('W', '13.3', 'A record is earlier than one before it', [
    'Records are ordered by position; this one carries an earlier time than a record that precedes it.',
    'Times in this trail are only as good as the clocks of its writers.',
    'Processes whose clocks differ; a clock that was set back.',
    'Check the clocks of the processes that notify.',
  ]),
  'notify/duplicate-observed': entry('W', '13.3', 'An event was observed twice', [
    'A key is observed once; a correct notifier that sees the first observation writes no second.',
    'The second record was passed over, and two writers did not see each other.',
    NOT_A_NOTIFIER,
    ASK_STORE,
  ]),
  'notify/record-before-observed': entry('E', '13.3', 'A record precedes the observation of its event', [
    'A claim, acknowledgement or mark stands where its event had not been observed.',
    'No notifier writes that. Either the observation was taken out or the record was put in.',
    'A removed or moved record, or a program that is no notifier.',
    ASK_STORE,
  ]),
  'notify/record-after-terminal': entry('W', '13.3', 'A record follows the end of its event', [
    'The event had been acknowledged or cleared, which ends delivery, and a record about it follows.',
    'The record was passed over; two writers did not see each other.',
    NOT_A_NOTIFIER,
    ASK_STORE,
  ]),
  'notify/duplicate-mark': entry('W', '13.3', 'An event was marked twice', [
    'Failing and overdue are each written once for an event.',
    'The second mark was passed over.',
    NOT_A_NOTIFIER,
    ASK_STORE,
  ]),
  'notify/impossible-time': entry('E', '13.7', 'Times contradict each other', [
    'A record says it happened before what must have come first, by more than clocks may differ.',
    'The order of times is one that no notifier produces; at least one of them is not true.',
    'An edited time, a moved record, or a clock far off.',
    'Compare the record with its leaf, then check the clock of the process that wrote it.',
  ]),
  'notify/claim-invalid': entry('E', '13.7', 'A claim holds nothing', [
    'The claim names no holder or is over at the moment it starts.',
    'A claim keeps two processes from delivering at once; this one keeps nobody.',
    'A program that is no notifier, or an edited record.',
    'Compare the record with its leaf.',
  ]),
  'notify/claim-overlap': entry('E', '13.7', 'Two processes held one event', [
    'A process claimed the event before the claim of another had lapsed.',
    'A correct process looks at the trail first and waits. Two deliveries may have run at once, or a record is not true.',
    'A store without atomic appends, an edited time, or a program that is no notifier.',
    ASK_STORE,
  ]),
  'notify/claim-ttl-short': entry('W', '13.7', 'A claim is shorter than the least', [
    'Claims last at least 30 seconds; this one is shorter.',
    'Another process may take over while the first still delivers.',
    'A setting of the notifier that its own limits do not allow.',
    'Check the claim time that the notifier is configured with.',
  ]),
  'notify/ack-without-claim': entry('E', '13.7', 'An acknowledgement without a claim', [
    'The sink is said to have accepted the event, and no process had claimed to deliver it.',
    'A delivery that nobody made cannot have been accepted: the acknowledgement may be made up.',
    'A removed claim, an inserted acknowledgement, or a program that is no notifier.',
    "Ask the sink for its own receipt and compare with the event's delivery ID.",
  ]),
  'notify/ack-after-claim-lapsed': entry('W', '13.7', 'An acknowledgement after the claim had lapsed', [
    'The acknowledgement is later than the claim it was made under.',
    'Another process may have been delivering at the same time.',
    'A slow sink, or a process that was suspended.',
    'Give the notifier a longer claim time.',
  ]),
  'notify/ack-evidence-missing': entry('I', '13.7', 'An acknowledgement without its particulars', [
    'The record does not say when the event was first sent, or how many attempts were made.',
    'How long delivery took cannot be told.',
    'An older notifier.',
    'Nothing needs to be done.',
  ]),
  'notify/ack-status': entry('W', '13.7', 'The status is not an acceptance', [
    'The sink answered with a status that is not one of 200 to 299.',
    'The event counts as acknowledged, yet the sink may have refused it.',
    'A sink that was configured to count other answers as acceptance.',
    'Ask the sink whether it took the event.',
  ]),
  'notify/failing-not-recorded': entry('W', '13.7', 'Failing delivery was not recorded', [
    'So many rounds of delivery were lost that a record should say so; none does.',
    'Nobody who watches for failing deliveries could see this one.',
    'A crash before the record was written, or an older notifier.',
    'Check whether the notifier was running, and its setting for failing.',
  ]),
  'notify/failing-early': entry('I', '13.7', 'Failing was recorded early', [
    'The mark was written after fewer rounds than the setting says.',
    'None but that an alarm came early.',
    'The notifier uses another setting than the one judged by.',
    'Give the setting that was in force with --set failing_after=N.',
  ]),
  'notify/recovery-nested': entry('W', '13.5', 'A recovery episode inside another', [
    'An episode was opened while one was open. The second record was passed over.',
    'The number and length of episodes may be other than they seem.',
    NOT_A_NOTIFIER,
    ASK_STORE,
  ]),
  'notify/recovery-unmatched': entry('W', '13.5', 'A recovery without an episode', [
    'A record says that recovery succeeded, and no episode was open.',
    'The record that opened it may be missing.',
    NOT_A_NOTIFIER,
    ASK_STORE,
  ]),
  'notify/recovery-cause': entry('W', '13.5', 'The cause of an episode is not a code', [
    'The cause of a failing recovery is one of three codes; this record holds something else.',
    'Free text in a trail can hold what must not be there.',
    'A newer notifier, or one that writes error text.',
    'Look at the record and keep it out of public reports.',
  ]),
  'notify/recovery-event-without-episode': entry('E', '13.5', 'A recovery event without an episode', [
    'People were told that recovery fails, at a position where no episode is open.',
    'The episode was taken out, or the event was made up.',
    'A removed record, or a program that is no notifier.',
    ASK_STORE,
  ]),
  'notify/recovery-event-early': entry('W', '13.5', 'A recovery event came early', [
    'The episode had not lasted as long as it must before anybody is told.',
    'None but that an alarm came early.',
    'The notifier uses another setting than the one judged by.',
    'Give the setting that was in force with --set recovery_failing_after=DURATION.',
  ]),
  'notify/recovery-event-missing': entry('W', '13.5', 'Recovery failed and nobody was told', [
    'An episode lasted longer than the limit and no event tells of it.',
    'A run that could not be recovered may have gone unnoticed.',
    'No recovery pass ran in between: the event is raised by a failing pass.',
    'Check whether recovery was running in that time.',
  ]),
  'notify/recovery-episode-number': entry('W', '13.5', 'The key carries another episode number', [
    'The number at the end of the key differs from the number of episodes closed before it.',
    'The event may be one of another episode, or a key was used twice.',
    'Another spelling of keys than the one expected, or a removed episode.',
    'Compare the trail with its signed leaves.',
  ]),
} as const;
