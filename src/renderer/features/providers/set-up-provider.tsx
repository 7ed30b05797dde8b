import { useQuery } from '@tanstack/react-query'
import { Cable, ChevronLeft, CircleDollarSign, MessageSquare } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import type { ProviderPut, ProviderRecord, ProviderTest } from '../../../shared/api/providers.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import { putProvider } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { isolate } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { FixOffer } from './fix-offer.tsx'
import { ProviderFields, textFields } from './provider-fields.tsx'
import { createForm, type FormErrors, type ProviderForm, validateForm } from './provider-form.ts'
import { recordTest, saveTested, TestResult, tryProvider } from './test-result.tsx'

interface SetUpProviderProps {
  /** Null for a custom server. */
  provider: ProviderRecord | null
  onClose: () => void
  onBack?: () => void
}

/** The last test that failed: nothing of it is saved yet. */
interface FailedTest {
  id: string
  put: ProviderPut
  test: ProviderTest
}

export function SetUpProvider({ provider, onClose, onBack }: SetUpProviderProps) {
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: info } = useQuery(queries.gateway)
  const [form, setForm] = useState(() => createForm(provider))
  const [errors, setErrors] = useState<FormErrors>({})
  const { pending, error, submit } = useSubmit()
  const [failed, setFailed] = useState<FailedTest | null>(null)
  const [passed, setPassed] = useState<{ id: string; test: ProviderTest } | null>(null)

  const testAndSave = (entered: ProviderForm) => {
    const validated = validateForm(entered, {
      provider,
      taken: new Set(providers.map(({ id }) => id)),
      needsNoKey: info?.credentials === 'env',
    })
    setErrors(validated.ok ? {} : validated.errors)
    if (!validated.ok) return
    const { id, put } = validated
    setFailed(null)
    void submit(
      async () => {
        const test = await tryProvider(id, put)
        return test.ok ? saveTested(id, put, test) : test
      },
      (test) => (test.ok ? setPassed({ id, test }) : setFailed({ id, put, test })),
    )
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    testAndSave(form)
  }
  const saveAnyway = ({ id, put, test }: FailedTest) =>
    submit(async () => {
      await putProvider(id, put)
      recordTest(id, test)
    }, onClose)
  const applyBaseUrl = (baseUrl: string) => {
    const fixed = { ...form, baseUrl }
    setForm(fixed)
    testAndSave(fixed)
  }

  const isNew = !provider?.configured
  const name = provider?.name ?? 'Custom server'
  if (passed) {
    return (
      <Dialog open onClose={onClose} title={`${form.name.trim() || name} is ready`}>
        <TestResult result={passed.test} />
        <NextSteps providerId={passed.id} onLeave={onClose} />
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  }
  const errorField = error?.param?.startsWith('credentials') ? 'credential' : error?.param
  const isFieldError = textFields.some((field) => field === errorField)
  const suggested = failed?.test.suggestedBaseUrl
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? `Add ${provider ? isolate(name) : 'a custom server'}` : `Edit ${isolate(name)}`}
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <ProviderFields
          provider={provider}
          form={form}
          onChange={setForm}
          errors={isFieldError && error && errorField ? { [errorField]: error.message, ...errors } : errors}
        />
        <InlineError error={isFieldError ? null : error} />
        <DialogActions
          above={
            failed ? (
              <div className="flex flex-col gap-2 rounded-md bg-bad-soft px-3 py-2.5">
                <TestResult result={failed.test} />
                {suggested ? (
                  <FixOffer
                    action={`Use ${suggested}`}
                    disabled={pending}
                    onFix={() => applyBaseUrl(suggested)}
                  />
                ) : null}
              </div>
            ) : null
          }
        >
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
          {failed ? (
            <Button onClick={() => void saveAnyway(failed)} disabled={pending}>
              Save anyway
            </Button>
          ) : null}
          <Button type="submit" variant="primary" pending={pending}>
            {pending ? 'Testing…' : failed ? 'Test again' : 'Test and save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The way on from a provider that works: try a model, set missing prices, connect a tool. */
function NextSteps({ providerId, onLeave }: { providerId: string; onLeave: () => void }) {
  const [, navigate] = useLocation()
  const { data: models = [] } = useQuery(queries.models)
  const own = models.filter(({ providers }) => providers.includes(providerId))
  const toTry = own.find((model) => model.enabled && isChatModel(model))
  const unpriced = own.filter(({ pricing }) => pricing === null).length
  const goTo = (href: string) => {
    onLeave()
    navigate(href)
  }
  const openChat = (model: string) => {
    usePlayground.getState().startChat(model)
    goTo('/playground')
  }
  return (
    <ul aria-label="Next steps" className="mt-4 flex flex-wrap gap-2">
      {toTry ? (
        <li className="min-w-0">
          <Button icon={MessageSquare} onClick={() => openChat(toTry.id)}>
            {`Try ${toTry.id}`}
          </Button>
        </li>
      ) : null}
      {unpriced > 0 ? (
        <li>
          <Button
            icon={CircleDollarSign}
            onClick={() => goTo(`/models?provider=${encodeURIComponent(providerId)}`)}
          >
            {`Set prices for ${unpriced} ${unpriced === 1 ? 'model' : 'models'}`}
          </Button>
        </li>
      ) : null}
      <li>
        <Button icon={Cable} onClick={() => goTo('/connect')}>
          Use it in a tool
        </Button>
      </li>
    </ul>
  )
}
