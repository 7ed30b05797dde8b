import { useQuery } from '@tanstack/react-query'
import { Cable, ChevronLeft, CircleDollarSign, MessageSquare } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { z } from 'zod'
import type { ProviderPut, ProviderRecord, ProviderTest } from '../../../shared/api/providers.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import { putProvider } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { formatQuantity, isolate } from '../../kit/format.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { ProviderFields } from './provider-fields.tsx'
import { createProviderForm, type ProviderForm, toProviderDraft, toPut } from './provider-form.ts'
import { recordTest, saveTested, TestResult, tryProvider, UseBaseUrl } from './provider-stats.tsx'

interface SetUpProviderProps {
  /** Null for a custom server. */
  provider: ProviderRecord | null
  onClose: () => void
  onBack?: () => void
}

/** A change and its test. If the test failed, nothing of it is saved yet. */
interface Tested {
  id: string
  put: ProviderPut
  test: ProviderTest
}

export function SetUpProvider({ provider, onClose, onBack }: SetUpProviderProps) {
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: info } = useQuery(queries.gateway)
  const circumstances = {
    provider,
    taken: new Set(providers.map(({ id }) => id)),
    needsNoKey: info?.credentials === 'env',
  }
  const form = useForm(createProviderForm(circumstances), () => toProviderDraft(provider), { late: true })
  const { pending, submit } = form
  const [failed, setFailed] = useState<Tested | null>(null)
  const [passed, setPassed] = useState<Tested | null>(null)

  const testAndSave = async (values: z.output<ProviderForm>) => {
    const { id, put } = toPut(values, circumstances)
    setFailed(null)
    const test = await tryProvider(id, put)
    return { id, put, test: test.ok ? await saveTested(id, put, test) : test }
  }
  const onTested = (tested: Tested) => (tested.test.ok ? setPassed(tested) : setFailed(tested))
  const saveAnyway = ({ id, put, test }: Tested) =>
    submit(async () => {
      await putProvider(id, put)
      recordTest(id, test)
    }, onClose)
  const applyBaseUrl = (baseUrl: string) => {
    form.change({ baseUrl })
    const { values } = form
    if (values) void submit(() => testAndSave({ ...values, baseUrl }), onTested)
  }

  const isNew = !provider?.configured
  const name = provider?.name ?? 'Custom server'
  if (passed) {
    return (
      <Dialog open onClose={onClose} title={`${form.draft.name.trim() || name} is ready`}>
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
  const suggested = failed?.test.suggestedBaseUrl
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? `Add ${provider ? isolate(name) : 'a custom server'}` : `Edit ${isolate(name)}`}
    >
      <Form
        form={form}
        action={pending ? 'Testing…' : failed ? 'Test again' : 'Test and save'}
        save={testAndSave}
        onSaved={onTested}
        above={
          failed ? (
            <div className="flex flex-col gap-2 rounded-md bg-bad-soft px-3 py-2.5">
              <TestResult result={failed.test} />
              {suggested ? (
                <UseBaseUrl baseUrl={suggested} disabled={pending} onUse={() => applyBaseUrl(suggested)} />
              ) : null}
            </div>
          ) : null
        }
        buttons={
          <>
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
          </>
        }
      >
        <ProviderFields provider={provider} form={form} />
      </Form>
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
            {`Set prices for ${formatQuantity(unpriced, 'model')}`}
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
