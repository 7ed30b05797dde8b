import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, CircleAlert, CircleCheck, Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { type AnyReceipt, RECEIPT_FORMAT, type ReceiptCheck } from '../../../shared/api/receipts.ts'
import { api } from '../../data/api.ts'
import { volatileQuery } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyButton } from '../../kit/copy.tsx'
import { download } from '../../kit/download.ts'
import { FileDrop } from '../../kit/file-drop.tsx'
import { InlineError, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Switch } from '../../kit/switch.tsx'
import { useLightPrint } from '../../kit/theme.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { CopyLink } from '../../parts/controls/copy-link.tsx'
import { ReceiptPaper } from './receipt-paper.tsx'

/** The receipt of a request, a session or a month, or without an id the page where any receipt can be verified. */
export function ReceiptView({ id }: { id: string | null }) {
  return id === null ? <VerifyReceipt /> : <OneReceipt id={id} />
}

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

function OneReceipt({ id }: { id: string }) {
  useLightPrint()
  const [names, setNames] = useState(false)
  const { back, read } = getSource(id)
  const { data, error, refetch } = useQuery({
    ...volatileQuery(['receipt', id, names], (): Promise<AnyReceipt> => read(names ? 'true' : 'false')),
    placeholderData: (before) => before,
  })
  const text = `${JSON.stringify(data ?? {}, null, 2)}\n`
  const verify = (
    <Link href="/receipts" className="text-accent-ink underline underline-offset-2">
      Verify a receipt
    </Link>
  )
  const command = <code className="font-mono">tollgate receipt --verify</code>
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
      <p className="mx-auto mt-4 max-w-xl text-ink-3 text-sm print:hidden">
        It has no prompt and no answer. Anyone can check it under {verify}, or with {command}.
      </p>
    </Page>
  )
}

/** Far more than any receipt has. */
const MAX_BYTES = 1_000_000

interface FileCheck extends ReceiptCheck {
  fileName: string
}

/** Tells whether a receipt that somebody sent is as it was issued. */
function VerifyReceipt() {
  const [checked, setChecked] = useState<FileCheck | null>(null)
  const { pending, error, submit } = useSubmit()
  const check = (file: File) =>
    void submit(async () => {
      setChecked(null)
      const value = file.size > MAX_BYTES ? null : parseObject(await file.text())
      const result = value ? await api('verifyReceipt', { body: value }) : NO_RECEIPT
      setChecked({ ...result, fileName: file.name })
    })
  return (
    <Page
      title="Verify a receipt"
      subtitle="Check that a receipt is as it was issued. It is not sent anywhere."
      width="narrow"
    >
      <div className="mx-auto flex max-w-xl flex-col gap-4">
        <FileDrop
          label="Receipt file"
          action="Choose receipt"
          accept=".json,application/json"
          pending={pending}
          onFile={check}
        >
          Drop a receipt here, as it was saved as JSON.
        </FileDrop>
        <InlineError error={error} />
        <div role="status">{checked ? <Result checked={checked} /> : null}</div>
        {checked?.receipt ? <ReceiptPaper receipt={checked.receipt} /> : null}
      </div>
    </Page>
  )
}

function Result({ checked }: { checked: FileCheck }) {
  const { valid, problem, issuedHere, issuerId, fileName } = checked
  const Icon = valid ? CircleCheck : CircleAlert
  const issuer = <span className="break-all font-mono text-sm">{issuerId}</span>
  return (
    <div className={cn('flex gap-2.5 rounded-lg px-4 py-3', valid ? 'bg-good-soft' : 'bg-bad-soft')}>
      <Icon size={16} aria-hidden className={cn('mt-0.5 shrink-0', valid ? 'text-good' : 'text-bad')} />
      <div className="min-w-0">
        <p className={cn('font-medium', valid ? 'text-good' : 'text-bad')}>
          {valid ? 'This receipt is valid' : 'This receipt is not valid'}
        </p>
        <p className="break-words text-ink-2">
          {valid ? `Nothing in ${fileName} was changed since it was signed.` : problem}
        </p>
        {valid ? (
          <p className="mt-1 text-ink-2">
            {issuedHere ? (
              'This installation issued it.'
            ) : (
              <>
                Another installation issued it: {issuer}. Ask its owner for this id, to know that it is
                theirs.
              </>
            )}
          </p>
        ) : null}
      </div>
    </div>
  )
}

const NO_RECEIPT: ReceiptCheck = {
  valid: false,
  problem: 'This file is not a receipt. Choose the JSON file that was saved from a receipt.',
  issuerId: null,
  issuedHere: false,
  receipt: null,
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
