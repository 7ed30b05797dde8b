import { CircleAlert, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import type { ReceiptCheck } from '../../../shared/api/receipts.ts'
import { api } from '../../data/api.ts'
import { cn } from '../../kit/cn.ts'
import { FileDrop } from '../../kit/file-drop.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { ReceiptPaper } from './receipt-paper.tsx'

/** Far more than any receipt has. */
const MAX_BYTES = 1_000_000

interface FileCheck extends ReceiptCheck {
  fileName: string
}

/** Tells whether a receipt that somebody sent is as it was issued. */
export function VerifyReceipt() {
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
                Another installation issued it:{' '}
                <span className="break-all font-mono text-sm">{issuerId}</span>. Ask its owner for this id, to
                know that it is theirs.
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
