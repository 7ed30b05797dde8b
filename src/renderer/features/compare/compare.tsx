import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { type ReactNode, useId, useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import type { RequestRecord, StoredChat } from '../../../shared/api/requests.ts'
import { diffLines, type Pair } from '../../../shared/tools/diff.ts'
import { useProviderNames, useTimeZone } from '../../data/hooks.ts'
import { getRequestName, openRequest } from '../../data/request-log.ts'
import { Button } from '../../kit/button.tsx'
import { Diff } from '../../kit/diff.tsx'
import { formatCount, formatDuration, formatMoment } from '../../kit/format.ts'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { NotStored, useRequestBodies } from '../../parts/requests/not-stored.tsx'
import { Cost, Status } from '../../parts/requests/status.tsx'
import { compareChats, type PrefixBreak, type Region } from './compare-chats.ts'

/** Two requests and their differences. The address names both. */
export function Compare({ before, after }: { before: string; after: string }) {
  const [, navigate] = useLocation()
  const first = useQuery(openRequest(before))
  const second = useQuery(openRequest(after))
  const error = first.error ?? second.error
  const reload = () => void Promise.all([first.refetch(), second.refetch()])
  return (
    <Page
      title="Compare requests"
      width="normal"
      actions={
        <Button
          icon={ArrowLeftRight}
          onClick={() => navigate(`/compare/${after}/${before}`, { replace: true })}
        >
          Swap
        </Button>
      }
    >
      {first.data && second.data ? (
        <div className="flex flex-col gap-7">
          <Facts records={[first.data, second.data]} />
          <Contents records={[first.data, second.data]} />
        </div>
      ) : error ? (
        <LoadError error={error} onRetry={reload} />
      ) : (
        <SkeletonRows rows={10} />
      )}
    </Page>
  )
}

type Both<T> = readonly [before: T, after: T]

function Facts({ records }: { records: Both<RequestRecord> }) {
  const timeZone = useTimeZone()
  const providerNames = useProviderNames()
  const rows: [string, (record: RequestRecord) => ReactNode][] = [
    ['Time', ({ createdAt }) => formatMoment(createdAt, timeZone)],
    ['Model', getRequestName],
    ['Provider', ({ provider }) => (provider === null ? 'None' : (providerNames.get(provider) ?? provider))],
    ['Key', ({ keyName }) => <bdi>{keyName}</bdi>],
    ['Endpoint', ({ endpoint }) => endpoint ?? '–'],
    ['Status', (record) => <Status record={record} />],
    ['Tokens in', ({ tokensIn }) => formatCount(tokensIn)],
    ['Read from cache', ({ usage }) => formatCount(usage?.cacheRead ?? 0)],
    ['Written to cache', ({ usage }) => formatCount((usage?.cacheWrite5m ?? 0) + (usage?.cacheWrite1h ?? 0))],
    ['Tokens out', ({ tokensOut }) => formatCount(tokensOut)],
    ['Cost', (record) => <Cost record={record} />],
    ['Duration', ({ timings: { totalMs } }) => (totalMs === null ? '–' : formatDuration(totalMs))],
  ]
  return (
    <section aria-label="Facts" className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full min-w-[30rem] table-fixed text-left [&_td]:px-3 [&_td]:py-1.5 [&_th]:px-3 [&_th]:py-1.5">
        <thead>
          <tr className="border-line border-b bg-canvas">
            <th scope="col" className="w-36">
              <span className="sr-only">Fact</span>
            </th>
            {['First', 'Second'].map((name, index) => (
              <th key={name} scope="col" className="font-medium text-ink-2">
                <Link href={`/requests/${records[index]?.id}`} className="text-accent-ink hover:underline">
                  {`${name} request`}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, read]) => (
            <tr key={name} className="border-line not-last:border-b">
              <th scope="row" className="font-normal text-ink-3">
                {name}
              </th>
              {records.map((record, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same request may be compared with itself
                <td key={index} className="break-words tabular-nums">
                  {read(record)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The stored prompts and answers, or why they cannot be compared. */
function Contents({ records: [one, other] }: { records: Both<RequestRecord> }) {
  const first = useRequestBodies(one)
  const second = useRequestBodies(other)
  const missing = [one, other].find(({ bodiesKept }) => !bodiesKept)
  if (missing) {
    return (
      <Section title="Messages">
        <NotStored record={missing} />
      </Section>
    )
  }
  const error = first.error ?? second.error
  if (error)
    return <LoadError error={error} onRetry={() => void Promise.all([first.refetch(), second.refetch()])} />
  if (!first.data || !second.data) return <SkeletonRows rows={8} />
  const chats = [first.data.chat, second.data.chat] as const
  if (chats[0] && chats[1]) return <Chats records={[one, other]} chats={[chats[0], chats[1]]} />
  const lines = diffLines(toLines(first.data.request), toLines(second.data.request))
  return (
    <Section title="Raw requests">
      {lines.length === 0 ? (
        <Equal>The bodies are equal.</Equal>
      ) : (
        <Diff title="Body" note="Changed" lines={lines} />
      )}
    </Section>
  )
}

function toLines(body: string | null): string {
  try {
    return JSON.stringify(JSON.parse(body ?? ''), null, 2)
  } catch {
    return body ?? ''
  }
}

interface ChatsProps {
  records: Both<RequestRecord>
  chats: Both<StoredChat>
}

function Chats({ records, chats: [before, after] }: ChatsProps) {
  const comparison = useMemo(() => compareChats(before, after), [before, after])
  const { prefix } = comparison
  const broken = prefix.before ?? prefix.after
  return (
    <>
      <Section title="Cached prefix">
        <p>{describePrefix(prefix, records)}</p>
      </Section>
      <Pairs title="Parameters" noun="parameter" pairs={comparison.parameters} broken={broken} />
      <Pairs title="Tools" noun="tool" pairs={comparison.tools} broken={broken} />
      <Pairs title="Messages" noun="message" pairs={comparison.messages} broken={broken} />
      <Pairs title="Answer" noun="answer" pairs={comparison.answers} broken={broken} />
    </>
  )
}

/** Where the prompts differ first, which is as far as a provider can read the second one from its cache. */
function describePrefix({ equal, before, after }: PrefixBreak, [one, other]: Both<RequestRecord>): string {
  const read = formatCount(other.usage?.cacheRead ?? 0)
  const cached = `${read} of the ${formatCount(other.tokensIn)} tokens of the second prompt were read from the cache.`
  if (one.model !== other.model || one.provider !== other.provider)
    return `Another model or provider served the second request, and caches are not shared between them. ${cached}`
  const region = before ?? after
  if (region === null)
    return `The second prompt begins with the whole first one, so the prefix did not break. ${cached}`
  const place = `${region.kind} ${region.number} (${region.name})`
  const end = after === null ? 'The second prompt ends before' : 'The prefix breaks at'
  const count =
    equal === 1 ? 'The part before it is equal' : `${formatCount(equal)} parts before it are equal`
  return `${end} ${place}. ${count}. ${cached}`
}

interface PairsProps {
  title: string
  noun: string
  pairs: readonly Pair<Region>[]
  /** The region at which the cached prefix breaks. */
  broken: Region | null
}

/** The regions that differ, and how many are equal between them. */
function Pairs({ title, noun, pairs, broken }: PairsProps) {
  const runs: (number | Pair<Region>)[] = []
  for (const pair of pairs) {
    const last = runs.at(-1)
    if (!pair.same) runs.push(pair)
    else if (typeof last === 'number') runs[runs.length - 1] = last + 1
    else runs.push(1)
  }
  return (
    <Section title={title}>
      {runs.length === 0 ? <Equal>Neither request has any.</Equal> : null}
      {runs.map((run, index) =>
        typeof run === 'number' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: regions have no identity other than their position
          <Equal key={index}>{`${formatCount(run)} equal ${run === 1 ? noun : `${noun}s`}`}</Equal>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: regions have no identity other than their position
          <ChangedRegion key={index} pair={run} broken={broken} />
        ),
      )}
    </Section>
  )
}

function ChangedRegion({ pair: { before, after }, broken }: { pair: Pair<Region>; broken: Region | null }) {
  const { number, name } = after ?? before ?? { number: null, name: '' }
  const note = before && after ? 'Changed' : before ? 'Only in the first' : 'Only in the second'
  return (
    <Diff
      title={number === null ? name : `${number} · ${name}`}
      note={broken !== null && (before ?? after) === broken ? `${note}; the cached prefix breaks here` : note}
      lines={diffLines(before?.text ?? '', after?.text ?? '')}
    />
  )
}

function Equal({ children }: { children: ReactNode }) {
  return <p className="text-ink-3 text-sm">{children}</p>
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {children}
    </section>
  )
}
