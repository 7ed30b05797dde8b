// The parts of prompts, and the savings and losses of their caches, in a session, a request and Usage.

import { useQuery } from '@tanstack/react-query'
import { api } from '../../../renderer/data/api.ts'
import { query } from '../../../renderer/data/query-client.ts'
import { chooseUsdDecimals, formatCount, formatQuantity } from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import { lowerLabel } from '../../../shared/values/locale.ts'
import type { CachingQuery, CachingReport } from '../api/caching.ts'
import type { PromptPart, RequestPrompt } from '../api/prompts.ts'
import { PROMPT_PARTS } from '../api/terms.ts'
import { CAUSE_NAMES, describeCache, describeTools, formatShare, PART_NAMES } from '../api/texts.ts'

const COLORS: Readonly<Record<PromptPart, string>> = {
  system: 'bg-(--chart-1)',
  tools: 'bg-(--chart-2)',
  history: 'bg-(--chart-3)',
  results: 'bg-(--chart-4)',
  media: 'bg-(--chart-5)',
}

/** The shares of the parts as a bar, with a legend. */
function PromptParts({ parts }: { parts: Readonly<Record<PromptPart, number>> }) {
  const shown = PROMPT_PARTS.filter((part) => parts[part] >= 0.005)
  return (
    <div>
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-line">
        {shown.map((part) => (
          <div key={part} className={COLORS[part]} style={{ width: `${parts[part] * 100}%` }} />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {shown.map((part) => (
          <li key={part} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-full ${COLORS[part]}`} />
            {PART_NAMES[part]} <span className="text-ink-3 tabular-nums">{formatShare(parts[part])}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The parts of one prompt, and the break of its cache. */
export function PromptFacts({ prompt: { parts, toolCount, break: broken } }: { prompt: RequestPrompt }) {
  return (
    <div className="flex flex-col gap-2">
      <PromptParts parts={parts} />
      {toolCount === 0 ? null : (
        <p className="text-ink-3 text-sm">
          {toolCount === 1 ? '1 tool is defined' : `${formatCount(toolCount)} tools are defined`}
        </p>
      )}
      {broken === null ? null : (
        <p>
          The prompt cache broke: {lowerLabel(CAUSE_NAMES[broken.cause])}.{' '}
          {formatCount(broken.lostTokens, true)} tokens were paid again, <Money usd={broken.lostUsd} /> more
          than from the cache.
        </p>
      )}
    </div>
  )
}

interface PromptReportProps {
  of: CachingQuery
}

/** Nothing as long as no prompt was long enough for a cache. */
export function PromptReport({ of }: PromptReportProps) {
  const { data } = useQuery(query(['caching', of], () => api('getCaching', { query: of })))
  if (data === undefined || data.requests === 0) return null
  const tools = describeTools(data)
  return (
    <section aria-label="Prompts" className="flex flex-col gap-3">
      <h3 className="font-medium text-ink-3 text-xs">Parts of the prompts, allocated by size</h3>
      <PromptParts parts={mapShares(data.parts)} />
      {tools === null ? null : <p>{tools}</p>}
      <Servers servers={data.servers} />
      <h3 className="mt-1 font-medium text-ink-3 text-xs">Prompt cache</h3>
      <p>{describeCache(data)}</p>
      <Causes causes={data.causes} />
    </section>
  )
}

/** The report in two sentences. */
export function PromptSummary({ of }: PromptReportProps) {
  const { data } = useQuery(query(['caching', of], () => api('getCaching', { query: of })))
  if (data === undefined || data.requests === 0) return null
  return (
    <p className="border-line border-b px-6 py-2 text-ink-2 text-sm max-sm:px-4">
      {describeTools(data)} {describeCache(data)}
    </p>
  )
}

function mapShares(parts: CachingReport['parts']): Record<PromptPart, number> {
  const { system, tools, history, results, media } = parts
  return {
    system: system.share,
    tools: tools.share,
    history: history.share,
    results: results.share,
    media: media.share,
  }
}

/** A list is only useful if the tools of some server are known. */
function Servers({ servers }: Pick<CachingReport, 'servers'>) {
  if (servers.length < 2) return null
  const decimals = chooseUsdDecimals(servers.map(({ usd }) => usd))
  return (
    <ul aria-label="Tools by MCP server" className="flex flex-col gap-1 text-sm">
      {servers.map(({ server, tools, called, share, usd }) => (
        <li key={server} className="flex items-baseline gap-2">
          <span className="min-w-0 truncate font-medium">{server || 'Built-in tools'}</span>
          <span className="shrink-0 text-ink-3">
            {`${formatQuantity(tools, 'tool')}, ${formatCount(called)} called, ${formatShare(share)}`}
          </span>
          <Money usd={usd} decimals={decimals} className="ml-auto shrink-0 tabular-nums" />
        </li>
      ))}
    </ul>
  )
}

function Causes({ causes }: Pick<CachingReport, 'causes'>) {
  if (causes.length === 0) return null
  const decimals = chooseUsdDecimals(causes.map(({ lostUsd }) => lostUsd))
  return (
    <ul aria-label="Breaks of the cache" className="flex flex-col gap-2">
      {causes.map(({ cause, breaks, lostUsd, advice }) => (
        <li key={cause}>
          <p className="flex items-baseline gap-2">
            <span className="font-medium">{CAUSE_NAMES[cause]}</span>
            <span className="text-ink-3 text-sm">
              {breaks === 1 ? 'once' : `${formatCount(breaks)} times`}
            </span>
            <Money usd={lostUsd} decimals={decimals} className="ml-auto tabular-nums" />
          </p>
          <p className="text-ink-2 text-sm">{advice}</p>
        </li>
      ))}
    </ul>
  )
}
