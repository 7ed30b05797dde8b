import { Activity, Search } from 'lucide-react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { getRequestName } from '../../data/request-name.ts'
import { formatAgo } from '../../kit/format.ts'
import type { Entry, Navigate } from './entry.ts'

/** The newest requests that the window has read. */
const SEARCHED = 500
/** The number of recent entries shown before anything is typed. */
const RECENT = 3
const REQUEST_ID = /^req_\w{4,}$/

export function createRequestEntries(
  records: readonly RequestRecord[],
  navigate: Navigate,
  nowMs: number,
): Entry[] {
  return records.slice(0, SEARCHED).map((record, at) => ({
    id: record.id,
    group: 'Requests',
    icon: Activity,
    isShownFirst: at < RECENT,
    label: getRequestName(record),
    hint: `${record.keyName}, ${record.status}, ${formatAgo(record.createdAt, nowMs)}`,
    keywords: [
      record.id,
      record.keyName,
      record.client,
      record.provider,
      record.error?.message,
      record.status,
    ]
      .filter(Boolean)
      .join(' '),
    run: () => navigate(`/requests/${record.id}`),
  }))
}

/** Entries for requests that are not among the newest: one by its id, or a search of all of them. */
export function createRequestSearch(text: string, navigate: Navigate): Entry {
  return REQUEST_ID.test(text)
    ? {
        id: 'request by id',
        group: 'Requests',
        icon: Activity,
        label: `Open request ${text}`,
        run: () => navigate(`/requests/${text}`),
      }
    : {
        id: 'search requests',
        group: 'Requests',
        icon: Search,
        label: `Search all requests for “${text}”`,
        run: () => navigate(`/requests?q=${encodeURIComponent(text)}`),
      }
}
