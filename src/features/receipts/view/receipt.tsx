import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Printer } from 'lucide-react'
import { type ReactNode, useState } from 'react'
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
  formatQuantity,
  formatTime,
  formatUsd,
  getDay,
} from '../../../renderer/kit/format.ts'
import { Mark } from '../../../renderer/kit/mark.tsx'
import { LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { Page } from '../../../renderer/kit/page.tsx'
import { useLightPrint } from '../../../renderer/kit/theme.ts'
import { CopyLink } from '../../../renderer/parts/controls/copy-link.tsx'
import { CostTable, toCostLine, toCostRow } from '../../../renderer/parts/requests/cost-table.tsx'
import { formatPriceOrigin } from '../../../renderer/parts/requests/price-label.ts'
import {
  costNotes,
  costStatusNames,
  describeCostStatus,
  nameStatus,
  SAMPLE_NOTE,
} from '../../../renderer/parts/requests/status.tsx'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import {
  type AnyReceipt,
  describeChange,
  RECEIPT_FORMAT,
  type Receipt,
  type SumReceipt,
} from '../api/receipts.ts'

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
      {data ? <ReceiptPaper receipt={data} /> : null}
      {!data && error ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <SkeletonRows rows={10} /> : null}
      <p className="mx-auto mt-4 max-w-xl text-ink-3 text-sm print:hidden">It has no prompt and no answer.</p>
    </Page>
  )
}

/** A receipt as on paper. What it says is only what is in the file. */
function ReceiptPaper({ receipt }: { receipt: AnyReceipt }) {
  return receipt.format === RECEIPT_FORMAT ? (
    <ChargePaper receipt={receipt} />
  ) : (
    <SumPaper receipt={receipt} />
  )
}

interface PaperProps {
  receipt: AnyReceipt
  title: string
  id: string
  /** The time that it is about. */
  time: string
  children: ReactNode
}

function Paper({ receipt: { issuedAt }, title, id, time, children }: PaperProps) {
  const timeZone = useTimeZone()
  return (
    <article
      aria-label={title}
      className="mx-auto w-full max-w-xl rounded-lg border border-line bg-surface px-8 py-7 shadow-card max-sm:px-5 print:max-w-none print:border-0 print:p-0 print:shadow-none"
    >
      <header className="flex items-start gap-2 max-sm:flex-wrap">
        <Mark />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold text-lg">{title}</h2>
          <p className="break-all font-mono text-ink-3 text-sm">{id}</p>
        </div>
        <p className="text-right text-ink-2 text-sm max-sm:w-full max-sm:pl-8 max-sm:text-left">{time}</p>
      </header>
      <Divider />
      {children}
      <Divider />
      <footer className="text-ink-3 text-sm">{`Issued ${formatMoment(issuedAt, timeZone)} by Tollgate`}</footer>
    </article>
  )
}

/** What a session or a month cost, by model and provider. */
function SumPaper({ receipt }: { receipt: SumReceipt }) {
  const timeZone = useTimeZone()
  const { of, lines, total } = receipt
  const isSession = of.kind === 'session'
  const span = isSession ? formatSpan(of.startedAt, of.lastAt, timeZone) : formatMonth(of.month)
  const rows = lines.map(({ model, provider, requests, tokensIn, tokensOut, nano }) => ({
    label: model || 'Deleted requests',
    note: `${provider || 'no provider'}, ${formatQuantity(requests, 'request')}, ${formatCount(tokensIn, true)} tokens in, ${formatCount(tokensOut, true)} out`,
    usd: nano / 1e9,
  }))
  return (
    <Paper
      receipt={receipt}
      title={isSession ? 'Receipt of a session' : 'Receipt of a month'}
      id={isSession ? of.id : of.month}
      time={span}
    >
      {isSession && of.names !== null ? (
        <>
          <Facts>
            <Names names={of.names} />
          </Facts>
          <Divider />
        </>
      ) : null}
      <CostTable large stacked rows={rows} totalLabel="Total" totalUsd={total.usd} />
      <ul className="mt-1 flex flex-col gap-1 text-ink-2 text-sm">
        <li>{`${formatCount(total.requests)} requests. Sample costs of the sandbox are not in the sum.`}</li>
        {of.kind === 'month' && !of.over ? <li>The month was not over when this was issued.</li> : null}
        {total.unpriced > 0 ? (
          <li>{`${formatCount(total.unpriced)} of them have no price, and cost nothing here.`}</li>
        ) : null}
        {total.unsettled > 0 ? (
          <li>{`The cost of ${formatCount(total.unsettled)} is not certain yet.`}</li>
        ) : null}
      </ul>
    </Paper>
  )
}

/** 27 Nov 2026, 13:48 – 13:59 */
function formatSpan(from: string, to: string, timeZone: string | undefined): string {
  const isOneDay = getDay(Date.parse(from), timeZone) === getDay(Date.parse(to), timeZone)
  const end = isOneDay ? '' : `${formatDate(to, timeZone)}, `
  return `${formatDate(from, timeZone)}, ${formatTime(from, timeZone)} – ${end}${formatTime(to, timeZone)}`
}

function Names({ names }: { names: NonNullable<Receipt['request']['names']> }) {
  return (
    <>
      <Fact name="Key">{names.key}</Fact>
      <Fact name="Client">{names.client ?? 'Unknown'}</Fact>
      {names.tag === null ? null : <Fact name="Project">{names.tag}</Fact>}
    </>
  )
}

function ChargePaper({ receipt }: { receipt: Receipt }) {
  const timeZone = useTimeZone()
  const { request, attempts, timings } = receipt
  return (
    <Paper receipt={receipt} title="Receipt" id={request.id} time={formatMoment(request.createdAt, timeZone)}>
      <Facts>
        <Fact name="Model">
          {request.model ?? request.requestedModel ?? 'None'}
          {request.model !== null && request.requestedModel !== request.model ? (
            <span className="text-ink-3"> {`requested as ${request.requestedModel}`}</span>
          ) : null}
        </Fact>
        <Fact name="Provider">{request.provider ?? 'None'}</Fact>
        {request.changes.length === 0 ? null : (
          <Fact name="Rules">{request.changes.map(describeChange).join(', ')}</Fact>
        )}
        <Fact name="Request">
          {request.endpoint ?? 'Unknown'}, {request.stream ? 'streamed' : 'not streamed'}
        </Fact>
        <Fact name="Outcome">
          {nameStatus(request.status)}
          {request.httpStatus === null ? '' : `, HTTP ${request.httpStatus}`}
          {request.errorCode === null ? '' : `, ${request.errorCode}`}
        </Fact>
        {request.names === null ? null : <Names names={request.names} />}
      </Facts>
      <Divider />
      <Charge cost={receipt.cost} />
      <Certainty receipt={receipt} />
      <Divider />
      <Facts>
        {receipt.price === null || receipt.cost.status === 'confirmed' ? null : (
          <Fact name="Price">
            {receipt.price.reportedByProvider
              ? 'cost reported by the provider'
              : formatPriceOrigin(receipt.price.origin)}
            {receipt.price.tier === null ? '' : `, tier “${receipt.price.tier}”`}
          </Fact>
        )}
        {timings.totalMs === null ? null : (
          <Fact name="Time">
            {formatDuration(timings.totalMs)}
            {timings.firstByteMs === null ? '' : `, first byte after ${formatDuration(timings.firstByteMs)}`}
          </Fact>
        )}
        {attempts.length === 0 ? null : (
          <Fact name={attempts.length === 1 ? 'Attempt' : 'Attempts'}>
            <ol>
              {attempts.map((attempt, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no identity other than their position
                <li key={index}>
                  {attempt.provider},{' '}
                  {attempt.httpStatus === null ? 'no response' : `HTTP ${attempt.httpStatus}`},{' '}
                  {formatDuration(attempt.ms)}
                </li>
              ))}
            </ol>
          </Fact>
        )}
      </Facts>
    </Paper>
  )
}

function Charge({ cost }: { cost: Receipt['cost'] }) {
  if (cost.nano === null)
    return <p className="text-ink-2">{costNotes[cost.status] ?? 'Nothing was charged.'}</p>
  const lines = cost.lines.map((line) => toCostRow(toCostLine(line)))
  const other = lines.length === 0 || cost.status === 'confirmed' ? 'Charge' : 'Other'
  const extra: [string, string, string | null][] = [
    ['Reported', 'by the provider', cost.reportedNano],
    ['Discount', `${cost.discount?.percent ?? 0}%, negotiated`, cost.discount?.nano ?? null],
    [other, otherNote(cost), cost.otherNano],
    ['Rounding', 'to a nano-dollar', cost.roundingNano],
  ]
  const more = extra.flatMap(([label, note, nano]) =>
    nano === null ? [] : [{ label, note, usd: Number(nano) / 1e9 }],
  )
  const totalLabel = cost.status === 'unsettled' ? 'Counted' : 'Total'
  return <CostTable large rows={[...lines, ...more]} totalLabel={totalLabel} totalUsd={cost.nano / 1e9} />
}

function otherNote({ status, lines }: Receipt['cost']): string {
  if (status === 'confirmed') return 'as the provider billed it'
  return lines.length === 0 ? 'estimated, nothing was counted' : 'price tiers, special rates and retries'
}

function Certainty({ receipt }: { receipt: Receipt }) {
  const timeZone = useTimeZone()
  const { status, lowNano, highNano, confirmation } = receipt.cost
  const counted =
    status === 'exact'
      ? 'Counted by the provider.'
      : describeCostStatus(status, highNano === null ? null : highNano / 1e9)
  const note = hasSamplePrices(receipt.request.provider) && receipt.cost.nano ? SAMPLE_NOTE : counted
  const isSure = status !== 'estimated' && status !== 'unsettled'
  const bounds =
    status === 'unsettled' && lowNano !== null && highNano !== null
      ? ` It is between ${formatUsd(lowNano / 1e9)} and ${formatUsd(highNano / 1e9)}.`
      : ''
  return (
    <div className="mt-1 flex items-baseline gap-2 text-ink-2 text-sm">
      <Badge tone={isSure ? 'plain' : 'warn'}>{costStatusNames[status]}</Badge>
      <p>
        {confirmation === null
          ? `${note ?? ''}${bounds}`
          : `Confirmed ${confirmation.by === 'user' ? 'by the user' : 'from the provider’s export'} on ${formatMoment(confirmation.at, timeZone)}. Before, it was ${costStatusNames[confirmation.from]} at ${formatUsd(confirmation.beforeNano / 1e9)}.`}
      </p>
    </div>
  )
}

function Divider() {
  return <hr className="my-4 border-line border-dashed" />
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[88px_1fr] gap-y-1.5">{children}</dl>
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}
