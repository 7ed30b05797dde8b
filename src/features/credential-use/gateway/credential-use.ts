// Records with which of several credentials of a provider each request was sent, and sums what they have cost.
import type { Feature } from '../../../gateway/http/calls.ts'
import type { ProviderRegistry } from '../../../gateway/models/providers/registry.ts'
import { parseMoment } from '../../../gateway/observe/request-log/usage-sums.ts'
import { type Clock, formatTime } from '../../../gateway/platform/clock.ts'
import type { Run } from '../../../gateway/request/run.ts'
import type { Call, Store } from '../../../gateway/store/store.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { CredentialUse } from '../api/credential-use.ts'

const DEFAULT_SPAN_MS = 30 * 86_400_000

interface CredentialUseDeps {
  store: Store
  clock: Clock
  providers: ProviderRegistry
}

export function createCredentialUse({ store, clock, providers }: CredentialUseDeps): Feature {
  /** The sign-in of a plan is no credential of the gateway. */
  function keep({ calling, call, credentialIndex }: Run): readonly Call[] | undefined {
    const { providerId } = calling.target
    if (call.mode.kind === 'plan' || !providers.hasSeveralCredentials(providerId)) return undefined
    const credential = providers.listCredentials(providerId)[credentialIndex]
    return credential && [['recordCredential', call.requestId, credential.id]]
  }

  async function list(providerId: string, from: string | undefined): Promise<CredentialUse[]> {
    const credentials = providers.listCredentials(providerId)
    const since = parseMoment(from) ?? clock.now() - DEFAULT_SPAN_MS
    const sums = new Map((await store.scan('sumCredentials', providerId, since)).map((sum) => [sum.id, sum]))
    const removed = [...sums.keys()].filter((id) => !credentials.some((credential) => credential.id === id))
    return [...credentials.map(({ id }) => id), ...removed].map((id, at) => {
      const { requests = 0, nano = 0, tokensIn = 0, tokensCached = 0 } = sums.get(id) ?? {}
      const credential = credentials[at]
      return {
        id,
        place: credential ? at + 1 : null,
        requests,
        costUsd: nanoToUsd(nanoUsd(nano)),
        tokensIn,
        tokensCached,
        restsUntil: formatTime(credential?.restsUntil ?? null),
      }
    })
  }

  return {
    hooks: [{ keep }],
    handlers: { listCredentialUse: async ({ id, query }) => ({ data: await list(id, query.from) }) },
  }
}
