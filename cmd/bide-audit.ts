#!/usr/bin/env node
/** The `bide-audit` binary: the front of audit spec 6, for scripts that exist. What it does is in bide/main.ts. */
import { main } from './bide/main.ts';
import { bideProcessIo } from './bide/process.ts';

process.exitCode = await main(process.argv.slice(2), bideProcessIo());
