/** `bide-audit` in process, as the conformance runner has it. */
export { bide, type Checkers, type Files, type Run } from '../../conformance/bideMemory.ts';
