import { FlaskConical } from 'lucide-react'
import { Link } from 'wouter'
import { OBSTACLES } from '../../../../shared/api/labels.ts'
import type { RepricedModel, Repricing } from '../../../../shared/api/repricing.ts'
import { chooseUsdDecimals, formatCount } from '../../../kit/format.ts'
import { Money } from '../../../kit/money.tsx'
import { SkeletonRows } from '../../../kit/notice.tsx'
import { Card } from '../../../kit/page.tsx'
import { PartsTable } from './parts-table.tsx'
import { countRequests, formatShare, modelNotes, repricingNotes } from './texts.ts'

interface AnswerCardProps {
  repricing: Repricing
  repriced: RepricedModel
  /** The costs with their parts; undefined until they have been read. */
  detailed: RepricedModel | undefined
  /** Where requests are replayed on the model. */
  tryHref: string
}

/** The cost with one model, in a sentence, and why it is not exact. */
export function AnswerCard({ repricing, repriced, detailed, tryHref }: AnswerCardProps) {
  const { model, served, requests, chargedUsd, costUsd, obstacles } = repriced
  const decimals = chooseUsdDecimals([chargedUsd, costUsd])
  const notes = [...modelNotes(repriced), ...repricingNotes(repricing)]
  return (
    <Card className="p-5 max-sm:p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 className="text-balance font-semibold text-xl max-sm:text-lg">
            On <span className="wrap-anywhere">{model}</span>:{' '}
            {costUsd === 0 ? 'free' : <Money usd={costUsd} decimals={decimals} />} instead of{' '}
            <Money usd={chargedUsd} decimals={decimals} />
          </h2>
          <p className="mt-1 text-ink-2">
            for {formatShare(served, requests)} of the requests ({formatCount(served)} of{' '}
            {formatCount(requests)}). <Difference chargedUsd={chargedUsd} costUsd={costUsd} />
          </p>
        </div>
        <Link
          href={tryHref}
          className="inline-flex h-8 shrink-0 items-center gap-1.5 rounded-md bg-accent px-3 font-medium text-white shadow-card hover:bg-accent-hover"
        >
          <FlaskConical size={14} aria-hidden />
          Try it
        </Link>
      </div>
      <div className="mt-4 grid gap-x-8 gap-y-5 border-line border-t pt-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-4">
          {obstacles.length > 0 ? (
            <section>
              <h3 className="font-medium text-ink-2 text-sm">
                {countRequests(requests - served)} it could not have served
              </h3>
              <ul className="mt-1.5 flex flex-col gap-1 text-sm">
                {obstacles
                  .toSorted((a, b) => b.requests - a.requests)
                  .map(({ reason, requests: count }) => (
                    <li key={reason} className="flex gap-2.5">
                      <span className="w-12 shrink-0 text-right tabular-nums">{formatCount(count)}</span>
                      <span className="text-ink-2">{OBSTACLES[reason]}</span>
                    </li>
                  ))}
              </ul>
            </section>
          ) : null}
          {notes.length > 0 ? (
            <section>
              <h3 className="font-medium text-ink-2 text-sm">How exact this is</h3>
              <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-4 text-ink-2 text-sm">
                {notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </section>
          ) : null}
        </div>
        {detailed ? <PartsTable key={model} repriced={detailed} /> : <SkeletonRows rows={5} />}
      </div>
    </Card>
  )
}

function Difference({ chargedUsd, costUsd }: Pick<RepricedModel, 'chargedUsd' | 'costUsd'>) {
  const usd = chargedUsd - costUsd
  const percent = chargedUsd === 0 ? '' : ` (${formatShare(Math.abs(usd), chargedUsd)})`
  if (usd === 0) return 'It costs the same.'
  const amount = (
    <>
      <Money usd={Math.abs(usd)} />
      {percent}
    </>
  )
  return usd > 0 ? <>It saves {amount}.</> : <>It costs {amount} more.</>
}
