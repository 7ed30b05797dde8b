import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { CAP_WARN_FRACTION } from '../../../shared/cap-alert.ts'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { InlineError } from '../../components/notice.tsx'
import { PopoverPanel } from '../../components/popover-panel.tsx'
import { formatUsd } from '../../format.ts'
import { parseUsd } from '../../number-input.ts'
import { updateKey } from '../../server-state/mutations.ts'
import { useSubmit } from '../../use-submit.ts'

const STEPS_USD = [1, 5, 20]

/** "Raise cap" when the cap is reached, or nearly. */
function actionName({ spendLimitUsd, spendUsd }: KeyMetadata): string {
  if (spendLimitUsd === null) return 'Set cap'
  return spendUsd >= spendLimitUsd * CAP_WARN_FRACTION ? 'Raise cap' : 'Edit cap'
}

export function CapEditor({ record }: { record: KeyMetadata }) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button small>{actionName(record)}</Button>
      </Popover.Trigger>
      <PopoverPanel align="end" aria-label={`Cap of ${record.name}`} className="w-80 p-4">
        <CapForm record={record} onDone={() => setOpen(false)} />
      </PopoverPanel>
    </Popover.Root>
  )
}

function CapForm({ record, onDone }: { record: KeyMetadata; onDone: () => void }) {
  const [text, setText] = useState(record.spendLimitUsd === null ? '' : String(record.spendLimitUsd))
  const { pending, error, submit } = useSubmit()
  const amount = parseUsd(text)

  const save = (spendLimitUsd: number | null) =>
    void submit(async () => {
      await updateKey(record.id, { spendLimitUsd })
      toast.success(
        spendLimitUsd === null
          ? `“${record.name}” has no cap now.`
          : `The cap of “${record.name}” is now ${formatUsd(spendLimitUsd)}.`,
      )
    }, onDone)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (amount.ok) save(amount.usd)
  }
  // From what was spent, so that one step always lets the key spend again.
  const raise = (usd: number) => {
    const base = Math.max((amount.ok ? amount.usd : null) ?? 0, record.spendUsd)
    setText(String(Math.round((base + usd) * 100) / 100))
  }
  const stops = amount.ok && amount.usd !== null && amount.usd <= record.spendUsd

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label="Spend cap (USD)"
        value={text}
        onChange={setText}
        autoFocus
        inputMode="decimal"
        placeholder="No cap"
        hint={
          stops
            ? 'This pauses the key: it has already spent as much. Raise the cap to continue.'
            : `Lifetime cap; ${formatUsd(record.spendUsd)} spent so far.`
        }
        error={amount.ok ? null : amount.message}
      />
      <div className="flex gap-1.5">
        {STEPS_USD.map((usd) => (
          <Button key={usd} small onClick={() => raise(usd)} aria-label={`Raise by $${usd}`}>
            + ${usd}
          </Button>
        ))}
      </div>
      <InlineError error={error} />
      <div className="flex justify-end gap-2">
        {record.spendLimitUsd === null ? null : (
          <Button variant="quiet" disabled={pending} className="mr-auto" onClick={() => save(null)}>
            Remove
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" pending={pending} disabled={!amount.ok}>
          Save
        </Button>
      </div>
    </form>
  )
}
