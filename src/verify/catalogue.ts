/** Findings of the road itself: inputs that no reader takes. */
import { defineCatalogue } from '../finding/catalogue.ts';

export const catalogue = defineCatalogue({
  'input/unreadable': {
    title: 'The input could not be read',
    class: 'unusable',
    severity: 'error',
    rule: 'cli exit status 4',
    means: 'The file is missing, is not a file, or the system refused to give its bytes.',
    matters: 'Nothing is known about this input. It counts neither for nor against what it might hold.',
    causes: 'A wrong path, missing permissions, a file that was moved while the program ran.',
    remedy: 'Check the path and the permissions, then run the same command again.',
  },
  'input/too-large': {
    title: 'The input is larger than the program reads',
    class: 'unusable',
    severity: 'error',
    rule: 'limits',
    means: 'The input is past the size up to which documents of its kind, or standard input, are read.',
    matters: 'Nothing in it was checked.',
    causes: 'A file of another kind, many artifacts joined into one, or an export that should have been split.',
    remedy: 'Give the file by its path instead of standard input, or split it.',
  },
  'input/unknown-kind': {
    title: 'The input is of no kind that this program knows',
    class: 'unusable',
    severity: 'error',
    rule: 'cli exit status 4',
    means:
      'Its first bytes are those of no session, journal, proof, package, trail, bundle, certificate or other kind.',
    matters: 'Nothing in it was checked.',
    causes: 'A wrong file, a compressed or encrypted file, text in another encoding, or a format of a later version.',
    remedy: 'Look at the first bytes of the file; decompress it, or update this program if its format is newer.',
  },
  'input/internal-error': {
    title: 'The program itself failed on this input',
    class: 'no_verdict',
    severity: 'error',
    rule: 'cli exit status 3',
    means: 'A check stopped in a way that its authors did not foresee. Nothing that it would have said is known.',
    matters: 'The input was not verified, and it was not found to be wrong either.',
    causes: 'A defect of this program, possibly provoked by a crafted input.',
    remedy: 'Keep the file and report the defect; do not rely on the other claims of this input.',
  },
  'report/incomplete': {
    title: 'A partial report ends before its run did',
    class: 'no_verdict',
    severity: 'error',
    rule: 'cli exit status 3',
    means:
      'The report has no summary line after its last input, so the run that wrote it was broken off, or its end was lost.',
    matters:
      'Inputs of that run are not in the joined report, and nobody can say from it which, or how they would have ended.',
    causes: 'A run that was killed, a disk that was full, or lines that were taken from the end of the report.',
    remedy: 'Finish the run with --resume and join the report that it writes.',
  },
  'report/disagrees': {
    title: 'A report does not agree with itself',
    class: 'unusable',
    severity: 'error',
    rule: 'cli exit status 4',
    means: 'Its results, its totals and what it holds of its inputs do not follow from each other.',
    matters: 'The report is not as this program wrote it. What is missing from it or was changed in it cannot be told.',
    causes: 'Lines that were removed, edited or torn, or a report that was put together by hand.',
    remedy: 'Verify the inputs again; do not rely on this report.',
  },
  'input/expectation-unchecked': {
    title: 'What was expected of the input was not checked',
    class: 'no_verdict',
    severity: 'error',
    rule: 'cli --expect-id',
    means: 'An entry or a leaf was expected, and inputs of this kind have no entries that could be held against it.',
    matters: 'Whether the input is the one that was meant is not known.',
    causes: 'The wrong file, or an option that was meant for a session beside this input.',
    remedy: 'Give the session that holds the entry, or leave the option out for this input.',
  },
  'claim/undecided': {
    title: 'A claim is not decided',
    class: 'no_verdict',
    severity: 'warning',
    rule: 'cli exit status 3',
    means:
      'The given bytes neither prove nor disprove the claim. Where it is required the input is not verified; where it is not, it is reported and changes nothing.',
    matters: 'Nobody may rely on this claim. It counts neither for nor against the input.',
    causes:
      'No trust file or no signed head was given, the writer recorded no hash, a record that would decide it is missing, or a check that comes before it failed.',
    remedy:
      'Give what the report names under "decided by": --trust for keys, --head for a signed head, --status for archived answers; or leave the claim out of --require.',
  },
  'report/truncated': {
    title: 'The report is cut to what the platform takes',
    class: 'none',
    severity: 'warning',
    rule: 'interop 5.1',
    means: 'There are more results than the platform keeps, so those of lower severity are left out of this file.',
    matters: 'What is not listed here was still found, and still counts in the result and the exit status.',
    causes: 'Very many findings: often one fault that shows in every entry after it, or a whole archive in one run.',
    remedy: 'Read the JSON report of the same run (--format json=FILE): it holds every finding.',
  },
});
