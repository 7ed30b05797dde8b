// Owns the list of rules that no black-box test over HTTP can reach, and where they are shown instead.

export interface Elsewhere {
  section: string
  rule: string
  shownBy: string
}

export const elsewhere: readonly Elsewhere[] = [
  {
    section: 'decisions 1',
    rule: 'Desktop: a second start focuses the first window; a taken port is offered another',
    shownBy: '`e2e/`',
  },
  {
    section: 'decisions 1',
    rule: 'Headless serves the interface at `/`, signed in with an admin key',
    shownBy: '`e2e/entry-points.spec.ts`, `src/gateway/api/static-files.test.ts`',
  },
  {
    section: 'decisions 1',
    rule: 'Node below 22.12 is refused by name; flags and exit codes',
    shownBy: '`src/host/cli.test.ts`, `src/host/flags.test.ts`',
  },
  {
    section: 'decisions 1',
    rule: 'A restore that is broken off at any step is made good by the next start, and is never made twice',
    shownBy: '`src/gateway/store/restore.test.ts`',
  },
  {
    section: 'decisions 3',
    rule: 'Integer nano-dollars, one rounding per request',
    shownBy: '`src/gateway/billing/cost.test.ts`, `src/shared/money.test.ts`',
  },
  {
    section: 'decisions 3',
    rule: 'kill -9 in the middle of mixed calls loses no acknowledged charge',
    shownBy: '`src/host/crash.test.ts`, `src/gateway/store/crash.test.ts`',
  },
  {
    section: 'decisions 5',
    rule: 'Time-outs for connecting and for the whole call',
    shownBy: '`src/gateway/upstream/time-limits.test.ts`',
  },
  {
    section: 'decisions 5',
    rule: 'A rested provider is probed by one call after 30 s; a failed probe doubles the rest',
    shownBy: '`src/gateway/upstream/circuit-breaker.test.ts`',
  },
  {
    section: 'decisions 8',
    rule: 'Credentials live in the keychain; a locked or missing one overwrites nothing',
    shownBy: '`src/host/credentials.test.ts`',
  },
]
