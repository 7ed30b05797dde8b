import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { volatileQuery } from '../../../renderer/data/query-client.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { CopyButton } from '../../../renderer/kit/copy.tsx'
import { download } from '../../../renderer/kit/download.ts'
import { LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { Page } from '../../../renderer/kit/page.tsx'
import { Switch } from '../../../renderer/kit/switch.tsx'
import { useLightPrint } from '../../../renderer/kit/theme.ts'
import { CopyLink } from '../../../renderer/parts/controls/copy-link.tsx'
import { type AnyReceipt, RECEIPT_FORMAT } from '../api/receipts.ts'
import { ReceiptPaper } from './receipt-paper.tsx'

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
