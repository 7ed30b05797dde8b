import { type FormEvent, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { type RehearsedAmount, useAmountRehearsal } from './use-amount-rehearsal.ts'

const STEPS_USD = [1, 5, 20]

interface AmountFormProps {
  label: string
  /** The limit's spend so far. */
  spentUsd: number
  /** Null for none. */
  limitUsd: number | null
  placeholder: string
  /** The hint below the field while the amount leaves something to spend. */
  hint: string
  /** The hint when the amount is below current spend. */
  stopsHint: string
  removeLabel: string
  /** The key on whose past the amount is tried, null for all keys; and what is tried. */
  rehearsed?: RehearsedAmount
  save: (limitUsd: number | null) => Promise<void>
  onDone: () => void
}

/** Edits a spend limit, with steps that always leave something to spend. */
export function AmountForm({
  label,
  spentUsd,
  limitUsd,
  placeholder,
  hint,
  stopsHint,
  removeLabel,
  rehearsed,
  save,
  onDone,
}: AmountFormProps) {
  const [text, setText] = useState(limitUsd === null ? '' : String(limitUsd))
  const { pending, error, submit } = useSubmit()
  const amount = parseUsd(text)
  const stops = amount.ok && amount.usd !== null && amount.usd <= spentUsd

  const triedUsd = amount.ok && !stops && amount.usd !== limitUsd ? amount.usd : null
  const rehearsal = useAmountRehearsal(rehearsed, triedUsd)

  const submitAmount = (usd: number | null) => void submit(() => save(usd), onDone)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    // The form may be in a dialog that is rendered inside another form.
    event.stopPropagation()
    if (amount.ok) submitAmount(amount.usd)
  }
  const raise = (usd: number) => {
    const base = Math.max((amount.ok ? amount.usd : null) ?? 0, spentUsd)
    setText(String(Math.round((base + usd) * 100) / 100))
  }

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label={label}
        value={text}
        onChange={setText}
        autoFocus
        inputMode="decimal"
        placeholder={placeholder}
        hint={stops ? stopsHint : rehearsal ? `${hint} ${rehearsal}` : hint}
        error={amount.ok ? null : amount.message}
      />
      <div className="flex gap-1.5">
        {STEPS_USD.map((usd) => (
          <Button key={usd} small onClick={() => raise(usd)} aria-label={`Raise by $${usd}`}>
            +${usd}
          </Button>
        ))}
      </div>
      <InlineError error={error} />
      <div className="flex justify-end gap-2">
        {limitUsd === null ? null : (
          <Button
            variant="quiet"
            disabled={pending}
            className="-ml-3 mr-auto"
            onClick={() => submitAmount(null)}
          >
            {removeLabel}
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
