import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ExternalLink } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { usesMachineLogin } from '../../../shared/authorization.ts'
import type { ProviderRecord, ProviderTest } from '../../../shared/providers.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { openExternal } from '../../components/external.ts'
import { TextField } from '../../components/field.tsx'
import { InlineError } from '../../components/notice.tsx'
import { fetchProviderModels, putProvider } from '../../server-state/mutations.ts'
import { queries } from '../../server-state/queries.ts'
import { useSubmit } from '../../use-submit.ts'
import { AddressFields } from './address-fields.tsx'
import { AuthorizationChoice, credentialPlaceholder } from './authorization-choice.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { baseUrlHint, FormatChoice } from './format-choice.tsx'
import { InsecureHttp } from './insecure-http.tsx'
import { createForm, type FormErrors, isCustom, isInsecure, validateForm } from './provider-form.ts'
import { testProvider } from './provider-tests.ts'
import { TestResult } from './test-result.tsx'

/** The fields that can show an error that the gateway returned for them. */
const textFields = ['name', 'baseUrl', 'credential', 'priority'] as const
type TextFieldName = (typeof textFields)[number]

interface SetUpProviderProps {
  /** Null for a custom server. */
  provider: ProviderRecord | null
  onClose: () => void
  onBack?: () => void
}

export function SetUpProvider({ provider, onClose, onBack }: SetUpProviderProps) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [form, setForm] = useState(() => createForm(provider))
  const [errors, setErrors] = useState<FormErrors>({})
  const { pending, error, submit } = useSubmit()
  const [testing, setTesting] = useState(false)
  const [result, setResult] = useState<ProviderTest | null>(null)
  const [savedId, setSavedId] = useState<string | null>(null)
  // After the first save, submitting again changes the stored provider.
  const current = providers.find(({ id }) => id === savedId) ?? provider
  const errorField = error?.param === 'credentials' ? 'credential' : error?.param
  const field = (name: TextFieldName) => ({
    value: form[name],
    error: errors[name] ?? (errorField === name ? error?.message : undefined),
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  })

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const validated = validateForm(form, current, new Set(providers.map(({ id }) => id)))
    setErrors(validated.ok ? {} : validated.errors)
    if (!validated.ok) return
    setResult(null)
    setTesting(false)
    void submit(async () => {
      await putProvider(validated.id, validated.put)
      setSavedId(validated.id)
      setForm({ ...form, credential: '', more: [] })
      setTesting(true)
      const test = await testProvider(validated.id)
      return test.ok ? { ...test, modelCount: await fetchProviderModels(validated.id) } : test
    }, setResult)
  }

  const isNew = !provider?.configured
  const name = provider?.name ?? 'Custom server'
  if (result?.ok) {
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
  const needsNone = provider?.needsCredential === false && !usesMachineLogin(provider.authorization)
  const hidesCredential =
    usesMachineLogin(form.authorization) || (needsNone && !provider.hasCredential && isNew)
  const isFieldError = textFields.some((name) => name === errorField)
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? `Add ${provider ? name : 'a custom server'}` : `Edit ${name}`}
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        {provider === null || !isNew ? (
          <TextField label="Name" {...field('name')} autoFocus={provider === null} maxLength={100} />
        ) : null}
        {provider === null || provider.local || !isNew ? (
          <TextField
            label="Base URL"
            mono
            {...field('baseUrl')}
            placeholder="http://127.0.0.1:8080/v1"
            hint={baseUrlHint(form.apiFormat)}
          />
        ) : null}
        {form.apiFormat !== null && isCustom(provider) ? (
          <FormatChoice value={form.apiFormat} onChange={(apiFormat) => setForm({ ...form, apiFormat })} />
        ) : null}
        <AddressFields
          provider={current}
          values={form.address}
          errors={errors.address}
          onChange={(address) => setForm({ ...form, address })}
        />
        <AuthorizationChoice
          provider={current}
          value={form.authorization}
          onChange={(authorization) => setForm({ ...form, authorization })}
        />
        {hidesCredential ? null : (
          <CredentialFields
            placeholder={credentialPlaceholder(form.authorization)}
            provider={current}
            first={field('credential')}
            more={form.more}
            onMore={(more) => setForm({ ...form, more })}
            autoFocus={provider !== null && isNew && provider.address === null}
          />
        )}
        {isInsecure(form, current) ? (
          <InsecureHttp
            allowed={form.allowInsecureHttp}
            error={errors.allowInsecureHttp}
            onChange={(allowInsecureHttp) => setForm({ ...form, allowInsecureHttp })}
          />
        ) : null}
        {provider?.consoleUrl && !provider.hasCredential && !hidesCredential ? (
          <button
            type="button"
            onClick={() => provider.consoleUrl && void openExternal(provider.consoleUrl)}
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
        <InlineError error={isFieldError ? null : error} />
        {result ? <TestResult result={result} local={provider?.local ?? false} /> : null}
        <DialogActions>
          {onBack ? (
            <Button
              variant="quiet"
              icon={ChevronLeft}
              onClick={onBack}
              className="mr-auto"
              disabled={pending}
            >
              Back
            </Button>
          ) : (
            <Button onClick={onClose}>Cancel</Button>
          )}
          {result && !result.ok ? <Button onClick={onClose}>Keep without testing</Button> : null}
          <Button type="submit" variant="primary" pending={pending}>
            {pending && testing ? 'Testing…' : 'Save and test'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
