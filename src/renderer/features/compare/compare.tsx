import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { type ReactNode, useId, useMemo } from 'react'
import { t } from 'ttag'
import { Link, useLocation } from 'wouter'
import type { RequestRecord, StoredChat } from '../../../shared/api/requests.ts'
import { diffLines, type Pair } from '../../../shared/tools/diff.ts'
import { useProviderNames, useTimeZone } from '../../data/hooks.ts'
import { openRequest } from '../../data/request-log.ts'
import { getRequestName } from '../../data/request-name.ts'
import { Button } from '../../kit/button.tsx'
import { Diff } from '../../kit/diff.tsx'
import { formatCount, formatDuration, formatMoment } from '../../kit/format.ts'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { NotStored } from '../../parts/requests/not-stored.tsx'
import { useRequestBodies } from '../../parts/requests/request-bodies.ts'
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
      title={t`Compare requests`}
      width="normal"
      actions={
        <Button
          icon={ArrowLeftRight}
          onClick={() => navigate(`/compare/${after}/${before}`, { replace: true })}
        >{t`Swap`}</Button>
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
    [t`Time`, ({ createdAt }) => formatMoment(createdAt, timeZone)],
    [t`Model`, getRequestName],
    [
      t`Provider`,
      ({ provider }) => (provider === null ? t`None` : (providerNames.get(provider) ?? provider)),
    ],
    [t`Key`, ({ keyName }) => <bdi>{keyName}</bdi>],
    [t`Endpoint`, ({ endpoint }) => endpoint ?? '–'],
    [t`Status`, (record) => <Status record={record} />],
    [t`Tokens in`, ({ tokensIn }) => formatCount(tokensIn)],
    [t`Read from cache`, ({ usage }) => formatCount(usage?.cacheRead ?? 0)],
    [
      t`Written to cache`,
      ({ usage }) => formatCount((usage?.cacheWrite5m ?? 0) + (usage?.cacheWrite1h ?? 0)),
    ],
    [t`Tokens out`, ({ tokensOut }) => formatCount(tokensOut)],
    [t`Cost`, (record) => <Cost record={record} />],
    [t`Duration`, ({ timings: { totalMs } }) => (totalMs === null ? '–' : formatDuration(totalMs))],
  ]
  return (
    <section aria-label={t`Facts`} className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full min-w-[30rem] table-fixed text-left [&_td]:px-3 [&_td]:py-1.5 [&_th]:px-3 [&_th]:py-1.5">
        <thead>
          <tr className="border-line border-b bg-canvas">
            <th scope="col" className="w-36">
              <span className="sr-only">{t`Fact`}</span>
            </th>
            {[t`First`, t`Second`].map((name, index) => (
              <th key={name} scope="col" className="font-medium text-ink-2">
                <Link href={`/requests/${records[index]?.id}`} className="text-accent-ink hover:underline">
                  {t`${name} request`}
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
      <Section title={t`Messages`}>
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
    <Section title={t`Raw requests`}>
      {lines.length === 0 ? (
        <Equal>{t`The bodies are equal.`}</Equal>
      ) : (
        <Diff title={t`Body`} note={t`Changed`} lines={lines} />
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

function Chats({
  records,
  chats: [before, after],
}: {
  records: Both<RequestRecord>
  chats: Both<StoredChat>
}) {
  const { tools, messages, parameters, prefix, answers } = useMemo(
    () => compareChats(before, after),
    [before, after],
  )
  const changed = parameters.changed.length > 0
  const isBroken = (pair: Pair<Region>) =>
    !pair.same && (pair.before ?? pair.after) === (prefix.before ?? prefix.after)
  return (
    <>
      <Section title={t`Cached prefix`}>
        <p>{describePrefix(prefix, records)}</p>
      </Section>
      <Section title={t`Parameters`}>
        {changed ? (
          parameters.changed.map(({ name, before, after }) => (
            <Diff
              key={name}
              title={name}
              note={getNote(before !== undefined, after !== undefined)}
              lines={diffLines(before ?? '', after ?? '')}
            />
          ))
        ) : (
          <Equal>{parameters.equal === 0 ? t`Neither request has any.` : t`They are equal.`}</Equal>
        )}
      </Section>
      <Pairs title={t`Tools`} what="tool" pairs={tools} isBroken={isBroken} />
      <Pairs title={t`Messages`} what="message" pairs={messages} isBroken={isBroken} />
      <Section title={t`Answer`}>
        {answers.before === answers.after ? (
          <Equal>{t`The answers are equal.`}</Equal>
        ) : (
          <Diff title={t`assistant`} note={t`Changed`} lines={diffLines(answers.before, answers.after)} />
        )}
      </Section>
    </>
  )
}

/** Where the prompts differ first, which is as far as a provider can read the second one from its cache. */
function describePrefix({ equal, before, after }: PrefixBreak, [one, other]: Both<RequestRecord>): string {
  const read = formatCount(other.usage?.cacheRead ?? 0)
  const cached = t`${read} of the ${formatCount(other.tokensIn)} tokens of the second prompt were read from the cache.`
  if (one.model !== other.model || one.provider !== other.provider)
    return t`Another model or provider served the second request, and caches are not shared between them. ${cached}`
  if (before === null && after === null)
    return t`The second prompt begins with the whole first one, so the prefix did not break. ${cached}`
  const place = before ?? after
  if (!place) return cached
  const what =
    place.kind === 'tool'
      ? t`tool ${place.number} (${place.name})`
      : t`message ${place.number} (${place.name})`
  const how = after === null ? t`the second prompt ends before` : t`the prefix breaks at`
  const count =
    equal === 0
      ? t`Nothing before it is equal`
      : equal === 1
        ? t`The part before it is equal`
        : t`The ${formatCount(equal)} parts before it are equal`
  return `${how.charAt(0).toUpperCase()}${how.slice(1)} ${what}. ${count}. ${cached}`
}

interface PairsProps {
  title: string
  what: string
  pairs: readonly Pair<Region>[]
  isBroken: (pair: Pair<Region>) => boolean
}

/** The entries that differ, and how many are equal between them. */
function Pairs({ title, what, pairs, isBroken }: PairsProps) {
  const runs: (number | Pair<Region>)[] = []
  for (const pair of pairs) {
    const last = runs.at(-1)
    if (!pair.same) runs.push(pair)
    else if (typeof last === 'number') runs[runs.length - 1] = last + 1
    else runs.push(1)
  }
  return (
    <Section title={title}>
      {runs.length === 0 ? <Equal>{t`Neither request has any.`}</Equal> : null}
      {runs.map((run, index) =>
        typeof run === 'number' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity other than their position
          <Equal key={index}>{t`${formatCount(run)} equal ${run === 1 ? what : `${what}s`}`}</Equal>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity other than their position
          <ChangedRegion key={index} pair={run} broken={isBroken(run)} />
        ),
      )}
    </Section>
  )
}

function ChangedRegion({ pair: { before, after }, broken }: { pair: Pair<Region>; broken: boolean }) {
  const shown = after ?? before
  const note = getNote(before !== null, after !== null)
  return (
    <Diff
      title={shown ? `${shown.number} · ${shown.name}` : ''}
      note={broken ? t`${note}; the cached prefix breaks here` : note}
      lines={diffLines(before?.text ?? '', after?.text ?? '')}
    />
  )
}

function getNote(hasBefore: boolean, hasAfter: boolean): string {
  if (hasBefore && hasAfter) return t`Changed`
  return hasBefore ? t`Only in the first` : t`Only in the second`
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
