import { type FormEvent, useState } from 'react'
import { type KeyCreated, KeyName, type Scope } from '../../../shared/api/keys.ts'
import { createKey } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { DEFAULT_CAP_USD } from '../limits/default-cap.ts'
import { BoundsFields, SpendLimitFields } from './bounds-fields.tsx'
import { onlyGiven, parseBounds, useKeyBounds } from './key-bounds.ts'
import { LimitFields, parseLimits } from './limit-fields.tsx'
import { CapField, KeyNameField } from './name-and-cap.tsx'
import { NewSecret } from './new-secret.tsx'
import { scopeOptions } from './scopes.ts'
import { capHint, StrictField } from './strict-field.tsx'

interface CreateKeyProps {
  onClose: () => void
  /** A name to start from, such as the tool the key is for. */
  suggestedName?: string
  onCreated?: (key: KeyCreated) => void
}

export function CreateKey({ onClose, suggestedName = '', onCreated }: CreateKeyProps) {
  const [name, setName] = useState(suggestedName)
  const [scope, setScope] = useState<Scope>('completions-only')
  const [cap, setCap] = useState(String(DEFAULT_CAP_USD))
  const [strict, setStrict] = useState(false)
  const [texts, setTexts] = useState({ rpm: '', tpm: '' })
  const [bounds, setBounds] = useKeyBounds()
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const [created, setCreated] = useState<KeyCreated | null>(null)
  const amount = parseUsd(cap)
  const limits = parseLimits(texts)
  const nameIsGood = KeyName.safeParse(name.trim()).success

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const parsedBounds = parseBounds(bounds)
    if (!nameIsGood || !amount.ok || !limits.ok || parsedBounds === null) return
    const { rpmLimit, tpmLimit } = limits
    const input = {
      name: name.trim(),
      scope,
      ...(amount.usd === null ? {} : { spendLimitUsd: amount.usd }),
      ...(strict ? { strict } : {}),
      ...(rpmLimit === null ? {} : { rpmLimit }),
      ...(tpmLimit === null ? {} : { tpmLimit }),
      ...onlyGiven(parsedBounds),
    }
    void submit(
      () => createKey(input),
      (key) => {
        setCreated(key)
        onCreated?.(key)
      },
    )
  }

  if (created) return <NewSecret created={created} connect={!onCreated} onClose={onClose} />
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Create key"
      description="Create one key for each tool, so that you can see what each one spends."
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <div className="grid grid-cols-2 items-start gap-x-3 gap-y-4 max-sm:grid-cols-1">
          <KeyNameField
            value={name}
            onChange={setName}
            autoFocus
            placeholder="Laptop editor"
            error={tried && !nameIsGood ? 'Enter a name of 1 to 100 characters.' : null}
          />
          <Field label="Scope" hint={scopeOptions.find(({ value }) => value === scope)?.hint}>
            {({ id }) => (
              <Select label="Scope" id={id} options={scopeOptions} value={scope} onChange={setScope} />
            )}
          </Field>
        </div>
        <CapField
          value={cap}
          onChange={setCap}
          hint={`${capHint(strict)} Clear it for no cap; you can change it at any time.`}
          error={tried && !amount.ok ? amount.message : null}
        />
        <SpendLimitFields value={bounds} onChange={setBounds} saved={[]} showMissing={tried} />
        <StrictField value={strict} onChange={setStrict} />
        <details className="group">
          <summary className="w-fit select-none rounded-sm font-medium text-ink-2 text-sm hover:text-ink">
            Project, end date, models and rate limits
          </summary>
          <div className="mt-3 grid grid-cols-2 items-start gap-x-3 gap-y-4 max-sm:grid-cols-1">
            <BoundsFields value={bounds} onChange={setBounds} />
            <div className="sm:col-span-2">
              <LimitFields value={texts} onChange={setTexts} />
            </div>
          </div>
        </details>
        <InlineError error={error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending}>
            Create key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
