import { useQuery } from '@tanstack/react-query'
import { api } from '../../../renderer/data/api.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { volatileQuery } from '../../../renderer/data/query-client.ts'
import { chooseUsdDecimals, formatQuantity, formatTime } from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import type { ProviderRecord } from '../../../shared/api/providers.ts'

/** The spend of each key of a provider that has several. */
export function CredentialUses({ provider: { id, spreadSessions } }: { provider: ProviderRecord }) {
  const zone = useTimeZone()
  const { data } = useQuery(
    volatileQuery(['usage-in', 'credentials', id], () => api('listCredentialUse', { params: { id } })),
  )
  const uses = data?.data ?? []
  if (uses.every(({ requests }) => requests === 0)) return null
  const decimals = chooseUsdDecimals(uses.map(({ costUsd }) => costUsd))
  return (
    <section aria-label="API keys in the last 30 days" className="mt-2 text-sm">
      <p className="text-ink-3">
        {spreadSessions ? 'Each session has one of the keys. ' : 'The first key is used while it can be. '}In
        the last 30 days:
      </p>
      <ul>
        {uses.map(({ id: key, place, requests, costUsd, tokensIn, tokensCached, restsUntil }) => (
          <li key={key} className="flex flex-wrap items-baseline gap-x-4">
            <span className="w-28 font-medium">{place === null ? 'Removed key' : `Key ${place}`}</span>
            <Money usd={costUsd} decimals={decimals} className="w-16 text-right tabular-nums" />
            <span className="text-ink-2">{formatQuantity(requests, 'request')}</span>
            <span className="text-ink-3">
              {tokensIn === 0 ? null : `${Math.round((100 * tokensCached) / tokensIn)}% cached`}
            </span>
            {restsUntil === null ? null : (
              <span className="text-warn">{`rests until ${formatTime(restsUntil, zone)}`}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
