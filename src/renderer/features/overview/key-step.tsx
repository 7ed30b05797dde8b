import { type FormEvent, useState } from 'react'
import { type KeyCreated, KeyName } from '../../../shared/api/keys.ts'
import { createKey } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { quoteName } from '../../kit/quote-name.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { CapField, KeyNameField } from '../../parts/keys/name-and-cap.tsx'
import { Secret } from '../../parts/keys/new-secret.tsx'
import { DEFAULT_CAP_USD } from '../../parts/limits/default-cap.ts'

interface KeyStepProps {
  created: KeyCreated | null
  onCreated: (key: KeyCreated) => void
}

export function KeyStep({ created, onCreated }: KeyStepProps) {
  const [name, setName] = useState('My first tool')
  const [cap, setCap] = useState(String(DEFAULT_CAP_USD))
  const { pending, error, submit } = useSubmit()
  const amount = parseUsd(cap)
  const nameIsGood = KeyName.safeParse(name.trim()).success
  if (created) {
    return (
      <div className="mt-1 max-w-2xl">
        <p className="mb-2 text-ink-2">
          Copy the secret of {quoteName(created.name)} now: the gateway stores only its hash.
        </p>
        <Secret secret={created.secret} />
      </div>
    )
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!nameIsGood || !amount.ok) return
    const cap = amount.usd === null ? {} : { spendLimitUsd: amount.usd }
    void submit(() => createKey({ name: name.trim(), scope: 'completions-only', ...cap }), onCreated)
  }
  return (
    <>
      <p className="text-ink-2">Create one for each tool. Its requests stop once its cap is spent.</p>
      <form onSubmit={onSubmit} className="mt-2.5 flex flex-wrap items-start gap-3">
        <KeyNameField
          value={name}
          onChange={setName}
          className="w-56"
          error={nameIsGood ? null : 'Enter a name.'}
        />
        <CapField
          value={cap}
          onChange={setCap}
          className="w-32"
          error={amount.ok ? null : 'Enter an amount.'}
        />
        <Button type="submit" pending={pending} className="mt-[22px]">
          Create key
        </Button>
      </form>
      <InlineError error={error} />
    </>
  )
}
