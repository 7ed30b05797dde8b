// Owns the dialog in which a user says what of a model should be otherwise, or gives a model another name.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import type { ModelRecord } from '../../../shared/models.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { InlineError } from '../../components/notice.tsx'
import { deleteOverride, putModel } from '../../server-state/changes.ts'
import { useEnabledModels } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import { useSubmit } from '../../use-submit.ts'
import { FallbackChain } from './fallback-chain.tsx'
import { ModelFields } from './model-fields.tsx'
import { type ModelFormErrors, modelForm, readModelForm } from './model-form.ts'
import { isAlias, isCustomized } from './model-override.ts'
import { TargetFields } from './target-fields.tsx'

export function EditModel({ model, onClose }: { model: ModelRecord | null; onClose: () => void }) {
  const { data: all = [] } = useQuery(queries.models)
  const models = useEnabledModels()
  const [form, setForm] = useState(() => modelForm(model))
  const [errors, setErrors] = useState<ModelFormErrors>({})
  const { pending, error, submit } = useSubmit()
  const [action, setAction] = useState<'save' | 'delete'>('save')

  const run = (name: 'save' | 'delete', request: () => Promise<void>, message: string) => {
    setAction(name)
    void submit(async () => {
      await request()
      toast.success(message)
    }, onClose)
  }
  const drop = ({ id, enabled, override }: ModelRecord) => {
    if (isAlias(override)) return run('delete', () => deleteOverride(id), `${id} was deleted.`)
    // What is off stays off: that is said in the list, not here.
    const forget = () => (enabled ? deleteOverride(id) : putModel(id, { enabled: false }))
    return run('delete', forget, `${id} is as it is known again.`)
  }
  // An alias starts from what is known of the model it stands for.
  const base =
    model ??
    all.find(({ id, providers }) => id === form.upstreamModel && providers.includes(form.provider)) ??
    null
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const outcome = readModelForm(form, model, new Set(all.map(({ id }) => id)))
    setErrors(outcome.ok ? {} : outcome.errors)
    if (!outcome.ok) return
    const { id, override } = outcome
    // Nothing set is no override, rather than an empty one.
    if (model !== null && Object.keys(override).length === 0) {
      if (model.override === null) return onClose()
      return run('delete', () => deleteOverride(id), `${id} is as it is known again.`)
    }
    run('save', () => putModel(id, override), `${id} was saved.`)
  }

  return (
    <Dialog
      open
      wide
      ignoreOutsideClick
      onClose={onClose}
      title={model ? model.id : 'Add alias'}
      description={
        model
          ? 'What you set here wins over what is known. Leave a field blank to keep what is known.'
          : 'Another name for a model, with a price, limits and fallbacks of its own if you like.'
      }
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-5">
        <TargetFields model={model} form={form} errors={errors} onChange={setForm} />
        <ModelFields model={base} form={form} errors={errors} onChange={setForm} />
        <FallbackChain
          models={models}
          ownId={form.id.trim()}
          chain={form.fallbacks}
          onChange={(fallbacks) => setForm({ ...form, fallbacks })}
        />
        <InlineError error={error} />
        <DialogActions>
          {model && isCustomized(model.override) ? (
            <Button
              variant="quiet"
              className="mr-auto"
              pending={pending && action === 'delete'}
              onClick={() => drop(model)}
            >
              {isAlias(model.override) ? 'Delete alias' : 'Drop all of this'}
            </Button>
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending && action === 'save'}>
            {model ? 'Save' : 'Add alias'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
