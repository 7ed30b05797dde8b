import type { Section } from './testing/rule-name.ts'

/** A rule that cannot be tested over HTTP from outside the program. */
interface OtherTest {
  section: Section
  rule: string
  testedBy: string
}

export const otherTests: readonly OtherTest[] = [
  {
    section: 'Listening',
    rule: 'Desktop: a second start focuses the first window; a taken port offers another one',
    testedBy: '`e2e/`',
  },
  {
    section: 'HTTP',
    rule: 'Any body of an inference, key or estimate request: no 5xx of the gateway, no hang, always the format’s envelope (fuzzed)',
    testedBy: '`src/tooling/fuzz/request-bodies.test.ts`',
  },
  {
    section: 'OpenAPI',
    rule: 'A TypeScript client that is generated from it has types and works',
    testedBy: '`src/contract/openapi-client.long.test.ts`',
  },
  {
    section: 'Headless',
    rule: 'Headless serves the interface at `/`, signed in with an admin key',
    testedBy: '`e2e/first-scripts.spec.ts`, `src/gateway/http/static-files.test.ts`',
  },
  {
    section: 'Headless',
    rule: 'Node below 22.14 is rejected with an explanation; flags and exit codes',
    testedBy: '`src/cli/cli.test.ts`, `src/host/flags.test.ts`',
  },
  {
    section: 'Backups',
    rule: 'The next start completes a restore that was interrupted at any step, and never repeats one',
    testedBy: '`src/gateway/store/engine/restore.test.ts`',
  },
  {
    section: 'Charges',
    rule: 'Integer nano-dollars, one rounding per request',
    testedBy: '`src/gateway/spend/cost.test.ts`, `src/shared/money/money.test.ts`',
  },
  {
    section: 'Charges',
    rule: 'kill -9 during mixed requests loses no acknowledged charge',
    testedBy: '`src/host/crash.test.ts`, `src/gateway/store/crash.test.ts`',
  },
  {
    section: 'Caps',
    rule: 'After the wait for reservations: 429 with code spend_reserved, Retry-After and x-should-retry: true',
    testedBy: '`src/gateway/spend/budget.test.ts`',
  },
  {
    section: 'Streaming',
    rule: 'The upstream call is aborted within 100 ms after the client disconnects',
    testedBy: '`src/contract/disconnects.long.test.ts`',
  },
  {
    section: 'Upstream calls',
    rule: 'Timeouts for connecting and for the whole call',
    testedBy: '`src/gateway/upstream/time-limits.test.ts`',
  },
  {
    section: 'Upstream calls',
    rule: 'An open circuit breaker allows one probe after 30 s; a failed probe doubles the time',
    testedBy: '`src/gateway/upstream/circuit-breaker.test.ts`',
  },
  {
    section: 'Providers',
    rule: 'Credentials are stored in the keychain; a locked or missing keychain overwrites nothing',
    testedBy: '`src/host/credentials.test.ts`',
  },
  {
    section: 'Plans and agents',
    rule: 'A WebSocket that is idle for 30 minutes, does not answer pings or whose key has ended is closed',
    testedBy: '`src/gateway/http/websockets.test.ts`',
  },
  {
    section: 'Providers',
    rule: 'A proxy and private certificates are used where they are chosen; no credential reaches a proxy in clear',
    testedBy:
      '`src/gateway/upstream/network/outbound.test.ts`, `src/gateway/compose/network.test.ts`, `src/tooling/deploy/outbound-proxies.long.test.ts`',
  },
]
