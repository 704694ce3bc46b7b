/** The most memory that this process held, in KiB. */
import { readFileSync } from 'node:fs';

export function peakMemory(): number {
  // What the system counts for the process includes the one that started it; Linux tells it of the program alone.
  const told = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^VmHWM:\s*(\d+)/m.exec(told)?.[1] ?? process.resourceUsage().maxRSS);
}
