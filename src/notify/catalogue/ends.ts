/** Findings about ends of events, the journal and receipts (notifications 14, numbers 48 to 57 and 65 to 72). */
import { entry } from './entry.ts';

const JOURNAL = "Give the run's whole journal, exported after the trail, and compare.";

export const END_ENTRIES = {
  'notify/all-clear-missing': entry('E', '13.7', 'A receiver never heard of the end', [
    'The event ended, its receiver had been told of it, and no all-clear to that receiver follows.',
    'A person may still act on something that is over.',
    'A notifier that stopped, or a removed record.',
    'Tell the receiver, then check whether the notifier was running.',
  ]),
  'notify/all-clear-late': entry('W', '13.7', 'An all-clear came late', [
    'The all-clear was acknowledged later than it should be after the end.',
    'A person acted on something that was over for longer than was promised.',
    'A sink that was down, or a notifier that was not running.',
    'Look at the failed rounds before it.',
  ]),
  'notify/all-clear-not-acknowledged': entry('E', '13.7', 'An all-clear was not acknowledged', [
    'The all-clear was raised and no record says that the sink accepted it.',
    'A person may still act on something that is over.',
    'A sink that was down, or a notifier that stopped.',
    'Ask the receiver whether it arrived, by its delivery ID.',
  ]),
  'notify/all-clear-unowed': entry('W', '13.7', 'An all-clear that nobody was owed', [
    'No delivery of the event was ever attempted, so nobody had to hear of its end.',
    'Somebody heard of the end of something they never heard of; or a claim was taken out.',
    'A program that is no notifier, or a removed claim.',
    'Compare the trail with its signed leaves.',
  ]),
  'notify/all-clear-receiver': entry('E', '13.7', 'An all-clear went to the wrong receiver', [
    'Neither the event nor a step of its chain was sent to this receiver.',
    'The person who was told of the event was not told of its end.',
    'A changed routing, or an edited record.',
    'Compare the record with its leaf.',
  ]),
  'notify/all-clear-false': entry('E', '13.10', 'An all-clear for something that is not over', [
    'The trail says that the event is over; the journal shows it open, or the all-clear stands before the event.',
    'People were told that nothing needs them while something does.',
    'An edited record, or a journal exported before the trail.',
    JOURNAL,
  ]),
  'notify/clear-reason': entry('W', '13.7', 'The reason of an end does not fit', [
    'The reason is none of the codes that end an event of this kind.',
    'Why it ended is not clear; free text in a trail can hold what must not be there.',
    'A newer notifier, or an edited record.',
    'Compare the record with its leaf.',
  ]),
  'notify/fact-cleared': entry('E', '13.7', 'A fact was cleared', [
    'That a gate expired or a run was aborted is a fact; it does not stop being so, and is not cleared.',
    'People were told that something did not happen which did.',
    'A program that is no notifier, or an edited record.',
    'Compare the record with its leaf.',
  ]),
  'notify/expired-missing': entry('E', '13.9', 'Nobody was told that a gate expired', [
    'An all-clear says that the gate expired, and no event tells of the expiry.',
    'That a decision was not made in time went unreported.',
    'A crash between the two, or a removed record.',
    'Compare the trail with its signed leaves.',
  ]),
  'notify/expired-unmatched': entry('W', '13.9', 'An expiry that no end mentions', [
    'An event tells that a gate expired, and no all-clear or cleared record of it says so.',
    'Whether the gate expired is not clear.',
    'A crash between the two, or a removed record.',
    'Compare with the run’s journal.',
  ]),
  'notify/event-missing': entry('E', '13.10', 'The journal shows an event that nobody was told of', [
    "The run's journal shows that a person was needed, and the trail has no record of it.",
    'The person was not called.',
    'A notifier that was not running or not set up, or records that were taken out.',
    'Check whether the notifier was in use (--set notifier_since=TIME), and whether heads cover the whole trail.',
  ]),
  'notify/event-too-young': entry('I', '13.10', 'An event of the journal is too young to be reported', [
    'Not enough time has passed for a notifier to see the event.',
    'Whether anybody will be told is open.',
    'Journal and trail were taken shortly after the event.',
    'Judge again later.',
  ]),
  'notify/event-unexpected': entry('W', '13.10', 'An event that the journal does not show', [
    'The journal is complete and does not show the event that the trail tells of.',
    'Reminders, repeated asks and halts that a later drive resolved are not in such a list; an abort should be.',
    'A reminder, or a journal of another moment.',
    JOURNAL,
  ]),
  'notify/kind-mismatch': entry('E', '13.10', 'Journal and trail disagree what an event is', [
    'One key is an event of one kind in the journal and of another in the trail.',
    'People were told something else than what happened.',
    'An edited record, or a journal of another run.',
    JOURNAL,
  ]),
  'notify/observed-before-event': entry('W', '13.10', 'An event was observed before it began', [
    'The observation is earlier than the journal says that the event began, by more than clocks may differ.',
    'One of the two times is not true.',
    'Clocks that differ between the runtime and the notifier.',
    'Check both clocks.',
  ]),
  'notify/unmatchable-event': entry('I', '11.3', 'Events of the journal cannot be matched', [
    'The journal holds redacted records, or an approval was recorded without the gate it is about.',
    'No gate of the journal was judged as missing from the trail.',
    'A redacted export, or an older notifier.',
    'Give the list of events that the runtime makes, in place of the raw journal.',
  ]),
  'notify/wrong-notify-id': entry('E', '13.11', 'A receipt has the wrong delivery ID', [
    'The delivery ID is the SHA-256 of the key; the receipt carries another.',
    'The receipt is not of this event.',
    'A sink that mixes receipts, or a made-up receipt.',
    'Ask the sink for its receipts again.',
  ]),
  'notify/unknown-delivery': entry('W', '13.11', 'A receipt for an event that the trail does not have', [
    'The sink says it took an event that this trail never observed.',
    'The observation may have been taken out of the trail.',
    'A receipt of another run, or a removed record.',
    'Compare the trail with its signed leaves.',
  ]),
} as const;
