import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { type KeyMetadata, KeyName } from '../../../shared/keys.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { InlineError } from '../../components/notice.tsx'
import { updateKey } from '../../server-state/mutations.ts'
import { useSubmit } from '../../use-submit.ts'
import { LimitFields, parseLimits } from './limit-fields.tsx'

const shown = (value: number | null) => (value === null ? '' : String(value))

export function EditKey({ record, onClose }: { record: KeyMetadata; onClose: () => void }) {
  const [name, setName] = useState(record.name)
  const [texts, setTexts] = useState({ rpm: shown(record.rpmLimit), tpm: shown(record.tpmLimit) })
  const { pending, error, submit } = useSubmit()
  const limits = parseLimits(texts)
  const nameIsGood = KeyName.safeParse(name.trim()).success

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!nameIsGood || !limits.ok) return
    const { rpmLimit, tpmLimit } = limits
    void submit(async () => {
      await updateKey(record.id, { name: name.trim(), rpmLimit, tpmLimit })
      toast.success(`“${name.trim()}” was saved.`)
    }, onClose)
  }

  return (
    <Dialog open onClose={onClose} title={`Edit “${record.name}”`}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          autoFocus
          maxLength={100}
          error={nameIsGood ? null : 'Enter a name of 1 to 100 characters.'}
        />
        <LimitFields value={texts} onChange={setTexts} />
        <InlineError error={error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending} disabled={!nameIsGood || !limits.ok}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
