import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { t } from 'ttag'
import type { Subscription } from '../../../shared/api/account.ts'
import { updateSettings } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { formatRate } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { formatInput, parseUsd } from '../../kit/number-input.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { KNOWN_SUBSCRIPTIONS, PRICES_FROM } from './known-subscriptions.ts'

const MAX = 20

interface Row {
  id: number
  name: string
  usd: string
}

interface SubscriptionsDialogProps {
  subscriptions: readonly Subscription[]
  onClose: () => void
}

/** The prices of the user's flat subscriptions, which Tollgate cannot know. */
export function SubscriptionsDialog({ subscriptions, onClose }: SubscriptionsDialogProps) {
  const [rows, setRows] = useState<Row[]>(() =>
    subscriptions.map(({ name, monthlyUsd }, id) => ({ id, name, usd: formatInput(monthlyUsd) })),
  )
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const add = (row: Omit<Row, 'id'>) =>
    setRows((now) => [...now, { ...row, id: Math.max(-1, ...now.map(({ id }) => id)) + 1 }])
  const change = (id: number, part: Partial<Row>) =>
    setRows((now) => now.map((row) => (row.id === id ? { ...row, ...part } : row)))
  const parsed = rows.map(parseRow)
  const isFull = rows.length >= MAX

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const next = parsed.flatMap((row) => row ?? [])
    if (next.length < rows.length) return
    void submit(() => updateSettings({ subscriptions: next }), onClose)
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Your subscriptions`}
      description={t`Enter what you pay for flat subscriptions. Their price is only compared with what your agents cost here; it changes no limit and no total.`}
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        {rows.length === 0 ? null : (
          <ul className="flex flex-col gap-2">
            {rows.map((row, index) => (
              <li key={row.id} className="flex items-center gap-2">
                <Input
                  aria-label={t`Name of subscription ${index + 1}`}
                  value={row.name}
                  maxLength={100}
                  aria-invalid={tried && row.name.trim() === ''}
                  onChange={(event) => change(row.id, { name: event.target.value })}
                />
                <div className="w-32 shrink-0">
                  <Input
                    aria-label={t`USD per month of subscription ${index + 1}`}
                    value={row.usd}
                    inputMode="decimal"
                    placeholder={t`USD per month`}
                    aria-invalid={tried && parsed[index] === null}
                    onChange={(event) => change(row.id, { usd: event.target.value })}
                  />
                </div>
                <IconButton
                  small
                  label={t`Remove ${row.name || t`this subscription`}`}
                  icon={X}
                  onClick={() => setRows((now) => now.filter(({ id }) => id !== row.id))}
                />
              </li>
            ))}
          </ul>
        )}
        <div className="flex flex-col gap-2">
          <p className="text-ink-3 text-sm">{t`US list prices of ${PRICES_FROM}, without taxes. Change them to what you pay.`}</p>
          <div className="flex flex-wrap gap-1.5">
            {KNOWN_SUBSCRIPTIONS.map(({ name, monthlyUsd }) => (
              <Button
                key={name}
                small
                icon={Plus}
                disabled={isFull}
                onClick={() => add({ name, usd: formatInput(monthlyUsd) })}
              >
                {name} {formatRate(monthlyUsd).replace('.00', '')}
              </Button>
            ))}
            <Button
              small
              icon={Plus}
              disabled={isFull}
              onClick={() => add({ name: '', usd: '' })}
            >{t`Another`}</Button>
          </div>
        </div>
        <InlineError
          error={
            error ??
            (tried && parsed.includes(null)
              ? t`Enter a name and an amount in USD for each subscription.`
              : null)
          }
        />
        <DialogActions>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" variant="primary" pending={pending}>{t`Save`}</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Null if something is missing. */
function parseRow({ name, usd }: Row): Subscription | null {
  const amount = parseUsd(usd)
  return name.trim() === '' || !amount.ok || amount.usd === null
    ? null
    : { name: name.trim(), monthlyUsd: amount.usd }
}
