/** Findings about deadlines, receivers and escalation (notifications 14, numbers 21 to 47). */
import { entry } from './entry.ts';

const ROUTING = 'Give the routing that was in force at the time, then look at how the notifier was configured.';
const CHAIN = 'Give the routing that was in force at the time, then ask who was on the chain.';

export const DELIVERY_ENTRIES = {
  'notify/deadline-missing': entry('W', '13.7', 'An event has no deadline', [
    'Every event but an all-clear is observed with a deadline; this one has none.',
    'It can never become overdue, so nobody is alarmed when it is not acknowledged.',
    'An older notifier.',
    'Update the notifier.',
  ]),
  'notify/deadline-invalid': entry('E', '13.7', 'A deadline is not after the observation', [
    'The event was due before it was observed, or at that moment.',
    'Lateness cannot be judged by such a deadline.',
    'An edited time, or a program that is no notifier.',
    'Compare the record with its leaf.',
  ]),
  'notify/deadline-on-clear': entry('W', '13.7', 'An all-clear has a deadline', [
    'An all-clear is never overdue and has no deadline.',
    'The deadline was not judged.',
    'A program that is no notifier, or an older one.',
    'Nothing needs to be done for the event itself.',
  ]),
  'notify/never-acknowledged': entry('E', '13.7', 'Nobody acknowledged the event', [
    'The deadline has passed and no record says that the sink accepted the event.',
    'The person who was needed may never have heard of it.',
    'A sink that was down, a wrong address, or a notifier that stopped.',
    'Ask the receiver whether the event arrived, by its delivery ID, and check the sink.',
  ]),
  'notify/delivery-pending': entry('I', '13.7', 'Delivery is still in time', [
    'The event is not acknowledged and its deadline has not passed.',
    'Whether it will be is open.',
    'The trail was taken while delivery was running.',
    'Judge the trail again after the deadline.',
  ]),
  'notify/acknowledged-late': entry('W', '13.7', 'An event was acknowledged late', [
    'The sink accepted the event after its deadline.',
    'The person who was needed heard of it later than was promised.',
    'A sink that was down or slow.',
    'Look at the failed rounds before it.',
  ]),
  'notify/overdue-not-recorded': entry('W', '13.7', 'Being overdue was not recorded', [
    'The event was open past its deadline and the grace, and no record marks it overdue.',
    'Nobody was alarmed that a person had not been reached.',
    'A notifier that was not running at the deadline.',
    'Check whether the notifier was running at that time.',
  ]),
  'notify/overdue-early': entry('E', '13.7', 'An event was marked overdue before its deadline', [
    'The mark stands before the deadline, or the event has none.',
    'A correct notifier compares its own clock with the deadline in the trail; this mark is not one it writes.',
    'An edited time, or a program that is no notifier.',
    'Compare the record with its leaf.',
  ]),
  'notify/overdue-latency': entry('E', '13.7', 'The latency of an overdue record is wrong', [
    'The latency is the time from the observation to the mark; it is another here.',
    'One of the times was changed, or the record was made up.',
    'An edited record, or a moved observation.',
    'Compare the record with its leaf.',
  ]),
  'notify/overdue-notice-missing': entry('W', '13.7', 'Nobody was told that an event is overdue', [
    'The event was marked overdue and no notice of it was raised.',
    'The mark alone reaches nobody.',
    'A crash between the two records, or a notifier without overdue notices.',
    'Check the configuration of the notifier.',
  ]),
  'notify/overdue-notice-unexpected': entry('W', '13.7', 'An overdue notice without a mark', [
    'People were told that an event is overdue, and no record marks it so.',
    'The mark may have been taken out.',
    'A crash, or a removed record.',
    'Compare the trail with its signed leaves.',
  ]),
  'notify/receiver-name': entry('E', '13.7', "A text is no receiver's name", [
    'Receivers have names of 1 to 32 of a-z, 0-9, "_" and "-"; the default receiver is written as no name.',
    'The delivery cannot be held against any routing.',
    'A program that is no notifier, or an edited record.',
    'Compare the record with its leaf.',
  ]),
  'notify/unknown-receiver': entry('E', '13.7', 'A receiver is not in the routing', [
    'The event went to a receiver that the routing does not name at all.',
    'Somebody was told who should not have been, or the right person was not.',
    'A routing from another time than the trail.',
    ROUTING,
  ]),
  'notify/wrong-receiver': entry('E', '13.10', 'An event went to the wrong receiver', [
    'The routing sends this event elsewhere.',
    'The person who was needed may not have heard of it.',
    'A routing from another time than the trail, or a wrong configuration.',
    ROUTING,
  ]),
  'notify/receiver-missing': entry('E', '13.10', 'One of several receivers was not told', [
    'The routing sends the event to several receivers, and there is no delivery to one of them.',
    'A person who has to decide was not asked.',
    'A crash between observations, a changed routing, or a removed record.',
    ROUTING,
  ]),
  'notify/fan-out-key': entry('E', '13.7', 'Key and record name different receivers', [
    'The key of a fanned-out delivery carries the name of its receiver; the record carries another.',
    'It is not clear who was told.',
    'An edited record, or a program that is no notifier.',
    'Compare the record with its leaf.',
  ]),
  'notify/fan-out-unneeded': entry('W', '13.10', 'A fan-out to one receiver', [
    'One receiver is owed, and the delivery uses the key of a fan-out.',
    'None for the person; the routing given may not be the one in force.',
    'A routing from another time than the trail.',
    ROUTING,
  ]),
  'notify/approvers-unknown': entry('I', '13.10', 'Receivers of a gate were not judged', [
    'The routing goes by approver, and nothing given says who may decide this gate.',
    'Whether the right people were asked is open.',
    'No journal was given.',
    "Give the run's journal with --journal.",
  ]),
  'notify/orphan-derived-event': entry('W', '13.4', 'An event is about one that was never observed', [
    'An all-clear, overdue notice or escalation step belongs to an event; the trail observed none.',
    'The rules that need the event were not applied.',
    'A removed observation, or a spelling of keys that is not known here.',
    'Compare the trail with its signed leaves.',
  ]),
  'notify/escalation-missing': entry('E', '13.8', 'A due step of the chain was not told', [
    'The event stayed open past its deadline, and the next receiver of the chain was not told.',
    'The safeguard for when nobody answers did not work.',
    'A notifier that was not running, or a chain that was not configured at that time.',
    CHAIN,
  ]),
  'notify/escalation-early': entry('E', '13.8', 'A step was told before it was due', [
    'The step stands before the deadline it follows.',
    'A correct notifier compares its own clock with that deadline; this step is not one it writes.',
    'An edited time, or a program that is no notifier.',
    'Compare the record with its leaf.',
  ]),
  'notify/escalation-late': entry('W', '13.8', 'A step was told late', [
    'The step was told later than the grace after it was due.',
    'The next receiver heard of it later than was promised.',
    'A notifier that was not running at that time.',
    'Check whether the notifier was running.',
  ]),
  'notify/escalation-unwarranted': entry('W', '13.8', 'A step after the chain had stopped', [
    'The event had ended or been acknowledged, and a further step was told.',
    'Somebody was alarmed without need.',
    'Two processes that saw the end at different times.',
    'Nothing needs to be done for the event itself.',
  ]),
  'notify/escalation-out-of-order': entry('E', '13.8', 'Steps were told out of order', [
    'A step was told without an earlier one, or before it.',
    'The chain was not followed, or a step was taken out of the trail.',
    'A removed or moved record.',
    'Compare the trail with its signed leaves.',
  ]),
  'notify/escalation-level': entry('E', '13.8', 'A level is not a step of the chain', [
    'The level in the record differs from the one in the key, or lies past the chain.',
    'It is not clear which step this was.',
    'An edited record, or a chain from another time.',
    CHAIN,
  ]),
  'notify/escalation-receiver': entry('E', '13.8', 'A step went to the wrong receiver', [
    'The chain names another receiver for this step.',
    'The person next in line may not have heard of it.',
    'A routing from another time than the trail.',
    CHAIN,
  ]),
  'notify/escalation-unconfigured': entry('E', '13.8', 'A step of a chain that is not configured', [
    'The routing has no chain for this kind of event, and a step was told.',
    'Who was told had no place in the routing.',
    'A routing from another time than the trail.',
    CHAIN,
  ]),
} as const;
