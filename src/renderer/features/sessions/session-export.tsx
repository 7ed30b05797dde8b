import { Download } from 'lucide-react'
import { useState } from 'react'
import { SESSION_SORTS, type Session } from '../../../shared/api/sessions.ts'
import { SORT_ORDERS } from '../../../shared/api/terms.ts'
import { LAST_7_DAYS, rangeFromSearch, rangeToQuery } from '../../data/date-range.ts'
import type { SortOrder } from '../../data/request-filter.ts'
import {
  noSessionFields,
  readSessions,
  SESSION_FIELDS,
  type SessionFilter,
  type SessionSort,
} from '../../data/session-list.ts'
import {
  cacheRate,
  computeLength,
  formatLength,
  formatOffset,
  formatRatio,
  nameSession,
} from '../../data/session-name.ts'
import { roundTicks } from '../../kit/chart-frame.tsx'
import { type CsvColumn, createCsv, csvFields, download } from '../../kit/download.ts'
import {
  chooseUsdDecimals,
  createUsdTickFormat,
  formatCount,
  formatMoment,
  formatUsd,
} from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import type { SharedPicture } from '../../parts/share/share-dialog.tsx'
import { type Step, sumByModel } from './steps.tsx'

export const SESSION_FILE_NAME = 'tollgate-sessions.csv'

/** Saves all sessions that match as a CSV file, also those that are not listed yet. */
export function SessionExport({ address, disabled }: { address: SessionAddress; disabled: boolean }) {
  const [pending, setPending] = useState(false)
  const save = async () => {
    const { sessions } = await readSessions({ ...address, count: Number.POSITIVE_INFINITY })
    download(createSessionFile(sessions), SESSION_FILE_NAME)
  }
  return (
    <IconButton
      label="Export as CSV"
      icon={Download}
      disabled={disabled || pending}
      onClick={() => {
        setPending(true)
        void reportFailure(save(), 'The export failed').then(() => setPending(false))
      }}
    />
  )
}

const fields = csvFields<Session>

export const sessionFields: readonly CsvColumn<Session>[] = [
  ...fields('id', 'title', 'clientSessionId'),
  ['tool', ({ clientName }) => clientName],
  ['project', ({ tag }) => tag],
  ['key', ({ keyName }) => keyName],
  [
    'branches',
    ({ branches }) => branches.map(({ repository, branch }) => `${repository} ${branch}`).join('; '),
  ],
  ['models', ({ models }) => models.join('; ')],
  ...fields('startedAt', 'lastAt', 'requests', 'errors', 'refused', 'tokensIn', 'tokensOut', 'tokensCached'),
  ...fields('costUsd', 'sampleUsd', 'worthUsd', 'savedUsd', 'unpriced'),
]

/** A CSV file with a row for each session. */
export function createSessionFile(sessions: readonly Session[]): Blob {
  return createCsv(sessionFields, sessions)
}

interface Clock {
  now: number
  zone: string | undefined
}

/** How the cost of a session grew, and what its models cost. */
export function createSessionPicture(session: Session, steps: readonly Step[], clock: Clock): SharedPicture {
  const ticks = roundTicks(steps.at(-1)?.totalUsd ?? 0)
  const top = ticks.at(-1) ?? 1
  const models = sumByModel(steps.map(({ record }) => record))
  const decimals = chooseUsdDecimals(models.map(({ costUsd }) => costUsd))
  const last = steps.at(-1)
  let sum = 0
  const points = steps
    .toSorted((a, b) => a.to - b.to)
    .map(({ to, record }) => {
      sum += record.costUsd ?? 0
      return { x: to, y: sum / top }
    })
  return {
    title: nameSession(session, clock),
    isNamed: true,
    period: formatMoment(session.startedAt, clock.zone),
    figures: [
      { label: 'Cost', value: formatUsd(session.costUsd) },
      { label: 'Requests', value: formatCount(session.requests) },
      { label: 'Duration', value: formatLength(computeLength(session)) },
      { label: 'From the cache', value: formatRatio(cacheRate(session)) },
    ],
    chart: {
      kind: 'line',
      points: [{ x: 0, y: 0 }, ...points],
      top: createUsdTickFormat(ticks)(top),
      ends: ['0:00', last ? formatOffset(last.offsetMs + last.durationMs) : ''],
    },
    rowsTitle: 'By model',
    rows: models.map(({ model, costUsd }) => ({
      name: model,
      value: formatUsd(costUsd, decimals),
      series: null,
    })),
  }
}

// Which sessions are listed, and in which order. Both are part of the address.

export interface SessionAddress {
  filter: SessionFilter
  sort: SessionSort
  order: SortOrder
}

export function readAddress(search: string): SessionAddress {
  const params = new URLSearchParams(search)
  return {
    filter: {
      range: rangeFromSearch(params) ?? LAST_7_DAYS,
      text: params.get('q'),
      ...readFields(params),
      singles: params.has('singles'),
    },
    sort: SESSION_SORTS.find((sort) => sort === params.get('sort')) ?? 'time',
    order: SORT_ORDERS.find((order) => order === params.get('order')) ?? 'desc',
  }
}

function readFields(params: URLSearchParams): typeof noSessionFields {
  const fields = SESSION_FIELDS.map((name) => [name, params.get(name)])
  return { ...noSessionFields, ...Object.fromEntries(fields) }
}

/** The query string, without `?`. What has its default is left out. */
export function writeAddress({
  filter: { range, singles, text, ...ids },
  sort,
  order,
}: SessionAddress): string {
  const params = new URLSearchParams(
    'preset' in range && range.preset === LAST_7_DAYS.preset ? {} : rangeToQuery(range),
  )
  for (const [name, value] of Object.entries({ q: text, ...ids })) if (value !== null) params.set(name, value)
  if (singles) params.set('singles', '')
  if (sort !== 'time') params.set('sort', sort)
  if (order !== 'desc') params.set('order', order)
  return params.toString()
}

export function isFiltered({ range: _range, singles: _singles, ...ids }: SessionFilter): boolean {
  return Object.values(ids).some((id) => id !== null)
}
