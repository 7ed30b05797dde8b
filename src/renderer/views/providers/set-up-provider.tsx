import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ExternalLink } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ProviderRecord, ProviderTest } from '../../../shared/providers.ts'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { openExternal } from '../../components/external.ts'
import { TextField } from '../../components/field.tsx'
import { InlineError } from '../../components/notice.tsx'
import { fetchProviderModels, putProvider } from '../../server-state/changes.ts'
import { queries } from '../../server-state/queries.ts'
import { CredentialFields } from './credential-fields.tsx'
import { InsecureHttp } from './insecure-http.tsx'
import { createForm, isInsecure, type ProviderForm, validateForm } from './provider-form.ts'
import { testProvider } from './provider-tests.ts'
import { TestResult } from './test-result.tsx'

interface SetUpProviderProps {
  /** Null for a custom server. */
  provider: ProviderRecord | null
  onClose: () => void
  onBack?: () => void
}

export function SetUpProvider({ provider, onClose, onBack }: SetUpProviderProps) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [form, setForm] = useState(() => createForm(provider))
  const [errors, setErrors] = useState<Partial<Record<keyof ProviderForm, string>>>({})
  const [step, setStep] = useState<'form' | 'saving' | 'testing' | 'done'>('form')
  const [error, setError] = useState<string | null>(null)
  const [result, setResult] = useState<ProviderTest | null>(null)
  const [savedId, setSavedId] = useState<string | null>(null)
  // After the first save, submitting again changes the stored provider.
  const current = providers.find(({ id }) => id === savedId) ?? provider
  const field = (name: Exclude<keyof ProviderForm, 'more' | 'allowInsecureHttp'>) => ({
    value: form[name],
    error: errors[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  })

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const outcome = validateForm(form, current, new Set(providers.map(({ id }) => id)))
    setErrors(outcome.ok ? {} : outcome.errors)
    if (!outcome.ok) return
    setError(null)
    setResult(null)
    setStep('saving')
    try {
      await putProvider(outcome.id, outcome.put)
      setSavedId(outcome.id)
      setForm({ ...form, credential: '', more: [] })
      setStep('testing')
      const test = await testProvider(outcome.id)
      const modelCount = test.ok ? await fetchProviderModels(outcome.id) : 0
      setResult(test.ok ? { ...test, modelCount } : test)
      setStep('done')
    } catch (thrown) {
      setError(toApiError(thrown).message)
      setStep('form')
    }
  }

  const isNew = !provider?.configured
  const name = provider?.name ?? 'Custom OpenAI-compatible'
  if (step === 'done' && result?.ok) {
    return (
      <Dialog open onClose={onClose} title={`${form.name} is ready`}>
        <TestResult result={result} />
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  }
  const busy = step === 'saving' || step === 'testing'
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? `Add ${provider ? name : 'a custom provider'}` : `Edit ${name}`}
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        {provider === null || !isNew ? (
          <TextField label="Name" {...field('name')} autoFocus={provider === null} maxLength={100} />
        ) : null}
        {provider === null || provider.local || !isNew ? (
          <TextField
            label="Base URL"
            mono
            {...field('baseUrl')}
            placeholder="http://127.0.0.1:8080/v1"
            hint="Everything before /chat/completions."
          />
        ) : null}
        {provider?.needsCredential === false && !provider.hasCredential && isNew ? null : (
          <CredentialFields
            provider={current}
            first={field('credential')}
            more={form.more}
            onMore={(more) => setForm({ ...form, more })}
            autoFocus={provider !== null && isNew}
          />
        )}
        {isInsecure(form, current) ? (
          <InsecureHttp
            allowed={form.allowInsecureHttp}
            error={errors.allowInsecureHttp}
            onChange={(allowInsecureHttp) => setForm({ ...form, allowInsecureHttp })}
          />
        ) : null}
        {provider?.consoleUrl && !provider.hasCredential ? (
          <button
            type="button"
            onClick={() => provider.consoleUrl && openExternal(provider.consoleUrl)}
            className="-mt-2 flex items-center gap-1 self-start text-accent-ink text-sm hover:underline"
          >
            Get a credential from {provider.name} <ExternalLink size={12} aria-hidden />
          </button>
        ) : null}
        {isNew ? null : (
          <TextField
            label="Priority"
            inputMode="numeric"
            {...field('priority')}
            hint="When several providers serve a model, the one with the lowest number is used first."
          />
        )}
        <InlineError error={error} />
        {result ? <TestResult result={result} local={provider?.local ?? false} /> : null}
        <DialogActions>
          {onBack ? (
            <Button variant="quiet" icon={ChevronLeft} onClick={onBack} className="mr-auto" disabled={busy}>
              Back
            </Button>
          ) : (
            <Button onClick={onClose}>Cancel</Button>
          )}
          {result && !result.ok ? <Button onClick={onClose}>Keep without testing</Button> : null}
          <Button type="submit" variant="primary" pending={busy}>
            {step === 'testing' ? 'Testing…' : 'Save and test'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
