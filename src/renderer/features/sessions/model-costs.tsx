import type { RequestRecord } from '../../../shared/api/requests.ts'
import { chooseUsdDecimals, formatCount } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { sumByModel } from './step-layout.ts'

/** The cost of each model in a session, with its share. */
export function ModelCosts({ records }: { records: readonly RequestRecord[] }) {
  const models = sumByModel(records)
  if (models.length === 0) return null
  const decimals = chooseUsdDecimals(models.map(({ costUsd }) => costUsd))
  const totalUsd = models.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return (
    <section>
      <h3 className="mb-2 font-medium text-ink-3 text-xs">Cost by model</h3>
      <ul className="flex flex-col gap-3">
        {models.map(({ model, requests, tokens, costUsd }) => (
          <li key={model}>
            <p className="flex items-baseline gap-2">
              <span className="min-w-0 truncate font-medium">{model}</span>
              <span className="shrink-0 text-ink-3 text-sm">
                {formatCount(requests)} {requests === 1 ? 'request' : 'requests'}, {formatCount(tokens, true)}{' '}
                tokens
              </span>
              <Money usd={costUsd} decimals={decimals} className="ml-auto shrink-0 tabular-nums" />
            </p>
            <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-line">
              <div
                className="h-full bg-(--chart-1)"
                style={{ width: `${totalUsd > 0 ? (costUsd / totalUsd) * 100 : 0}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
