import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Printer } from 'lucide-react'
import { Fragment, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { volatileQuery } from '../../../renderer/data/query-client.ts'
import { Badge } from '../../../renderer/kit/badge.tsx'
import { Button } from '../../../renderer/kit/button.tsx'
import { Switch } from '../../../renderer/kit/controls.tsx'
import { CopyButton } from '../../../renderer/kit/copy.tsx'
import { download } from '../../../renderer/kit/download.ts'
import {
  formatCount,
  formatDate,
  formatDuration,
  formatMoment,
  formatMonth,
  formatTime,
  getDay,
} from '../../../renderer/kit/format.ts'
import { Mark } from '../../../renderer/kit/mark.tsx'
import { LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { Page } from '../../../renderer/kit/page.tsx'
import { useLightPrint } from '../../../renderer/kit/theme.ts'
import { CopyLink } from '../../../renderer/parts/controls/copy-link.tsx'
import { CostTable } from '../../../renderer/parts/requests/cost-table.tsx'
import { formatPriceOrigin } from '../../../renderer/parts/requests/price-label.ts'
import { costStatusNames, describeCostStatus, SAMPLE_NOTE } from '../../../renderer/parts/requests/status.tsx'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { describeReceipt, type Fact, type Formats } from '../api/describe-receipt.ts'
import { type AnyReceipt, RECEIPT_FORMAT, type Receipt } from '../api/receipts.ts'

/** Its way back, and the call that reads it. */
function getSource(id: string) {
  if (/^\d{4}-\d\d$/.test(id)) {
    return {
      back: { href: '/usage', label: 'Usage' },
      read: () => api('getSumReceipt', { query: { month: id } }),
    }
  }
  if (id.startsWith('ses_')) {
    return {
      back: { href: `/sessions/${id}`, label: 'Session' },
      read: (names: 'true' | 'false') => api('getSumReceipt', { query: { session: id, names } }),
    }
  }
  return {
    back: { href: `/requests/${id}`, label: 'Request' },
    read: (names: 'true' | 'false') => api('getReceipt', { params: { id }, query: { names } }),
  }
}

/** The receipt of a request, a session or a month. */
export function ReceiptView({ id }: { id: string }) {
  useLightPrint()
  const [names, setNames] = useState(false)
  const { back, read } = getSource(id)
  const { data, error, refetch } = useQuery({
    ...volatileQuery(['receipt', id, names], (): Promise<AnyReceipt> => read(names ? 'true' : 'false')),
    placeholderData: (before) => before,
  })
  const text = `${JSON.stringify(data ?? {}, null, 2)}\n`
  return (
    <Page
      title="Receipt"
      width="narrow"
      actions={
        data ? (
          <>
            {data.format === RECEIPT_FORMAT ? <CopyLink kind="receipts" id={id} /> : null}
            <CopyButton text={text} label="Copy JSON" />
            <Button
              icon={Download}
              onClick={() => download(new Blob([text], { type: 'application/json' }), `receipt-${id}.json`)}
            >
              Save as JSON
            </Button>
            <Button variant="primary" icon={Printer} onClick={() => window.print()}>
              Print
            </Button>
          </>
        ) : null
      }
    >
      <div className="mx-auto mb-4 flex max-w-xl flex-wrap items-center gap-x-4 gap-y-2 print:hidden">
        <Link href={back.href} className="flex items-center gap-1 text-accent-ink hover:underline">
          <ArrowLeft size={13} aria-hidden />
          {back.label}
        </Link>
        {back.href === '/usage' ? null : (
          <div className="ml-auto flex items-center gap-2 text-ink-2">
            <span aria-hidden>Names of key and client</span>
            <Switch label="Names of key and client" on={names} onChange={setNames} />
          </div>
        )}
      </div>
      {data ? <Paper receipt={data} /> : null}
      {!data && error ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <SkeletonRows rows={10} /> : null}
      <p className="mx-auto mt-4 max-w-xl text-ink-3 text-sm print:hidden">It has no prompt and no answer.</p>
    </Page>
  )
}

/** A receipt as on paper. What it says is only what is in the file. */
function Paper({ receipt }: { receipt: AnyReceipt }) {
  const timeZone = useTimeZone()
  const text = describeReceipt(receipt, createFormats(timeZone))
  const isSum = receipt.format !== RECEIPT_FORMAT
  return (
    <article
      aria-label={text.title}
      className="mx-auto w-full max-w-xl rounded-lg border border-line bg-surface px-8 py-7 shadow-card max-sm:px-5 print:max-w-none print:border-0 print:p-0 print:shadow-none"
    >
      <header className="flex items-start gap-2 max-sm:flex-wrap">
        <Mark />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold text-lg">{text.title}</h2>
          <p className="break-all font-mono text-ink-3 text-sm">{text.id}</p>
        </div>
        <p className="text-right text-ink-2 text-sm max-sm:w-full max-sm:pl-8 max-sm:text-left">
          {text.time}
        </p>
      </header>
      <Facts facts={text.facts} />
      <Divider />
      {text.totalUsd === null ? (
        <p className="text-ink-2">Nothing was charged, because this model has no known price.</p>
      ) : (
        <CostTable
          large
          stacked={isSum}
          rows={text.lines}
          totalLabel={text.totalLabel}
          totalUsd={text.totalUsd}
        />
      )}
      {isSum ? (
        <ul className="mt-1 flex flex-col gap-1 text-ink-2 text-sm">
          {text.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : (
        <Certainty receipt={receipt} notes={text.notes} />
      )}
      <Facts facts={text.details} />
      <Divider />
      <footer className="text-ink-3 text-sm">
        {`Issued ${formatMoment(receipt.issuedAt, timeZone)} by Tollgate`}
      </footer>
    </article>
  )
}

function createFormats(timeZone: string | undefined): Formats {
  return {
    count: (count) => formatCount(count),
    moment: (iso) => formatMoment(iso, timeZone),
    span: (from, to) => formatSpan(from, to, timeZone),
    month: formatMonth,
    duration: formatDuration,
    origin: formatPriceOrigin,
  }
}

/** 27 Nov 2026, 13:48 – 13:59 */
function formatSpan(from: string, to: string, timeZone: string | undefined): string {
  const isOneDay = getDay(Date.parse(from), timeZone) === getDay(Date.parse(to), timeZone)
  const end = isOneDay ? '' : `${formatDate(to, timeZone)}, `
  return `${formatDate(from, timeZone)}, ${formatTime(from, timeZone)} – ${end}${formatTime(to, timeZone)}`
}

function Certainty({ receipt: { request, cost }, notes }: { receipt: Receipt; notes: readonly string[] }) {
  const { status, nano, highNano, confirmation } = cost
  const highUsd = highNano === null ? null : highNano / NANO_PER_USD
  const counted = status === 'exact' ? 'Counted by the provider.' : describeCostStatus(status, highUsd)
  const note = hasSamplePrices(request.provider) && nano ? SAMPLE_NOTE : counted
  const isSure = status !== 'estimated' && status !== 'unsettled'
  return (
    <div className="mt-1 flex items-baseline gap-2 text-ink-2 text-sm">
      <Badge tone={isSure ? 'plain' : 'warn'}>{costStatusNames[status]}</Badge>
      <p>{[confirmation === null ? note : null, ...notes].filter(Boolean).join(' ')}</p>
    </div>
  )
}

function Divider() {
  return <hr className="my-4 border-line border-dashed" />
}

/** Facts below a divider; nothing if there are none. */
function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, text]) => text !== null)
  if (known.length === 0) return null
  return (
    <>
      <Divider />
      <dl className="grid grid-cols-[88px_1fr] gap-y-1.5">
        {known.map(([name, text]) => (
          <Fragment key={`${name} ${text}`}>
            <dt className="text-ink-3">{name}</dt>
            <dd className="min-w-0 break-words">{text}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  )
}
