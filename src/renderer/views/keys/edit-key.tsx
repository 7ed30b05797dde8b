// Owns changing a key's cap, name and limits. The gateway decides what a change means for running requests.
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { type KeyMetadata, KeyName } from '../../../shared/keys.ts'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { InlineError } from '../../components/notice.tsx'
import { formatUsd } from '../../format.ts'
import { useKeys } from '../../stores/keys.ts'
import { parseCount, parseUsd } from '../../usd-input.ts'

const STEPS_USD = [1, 5, 20]
const shown = (value: number | null) => (value === null ? '' : String(value))

export function EditKey({ record, onClose }: { record: KeyMetadata; onClose: () => void }) {
  const updateKey = useKeys((store) => store.updateKey)
  const [name, setName] = useState(record.name)
  const [cap, setCap] = useState(shown(record.spendLimitUsd))
  const [rpm, setRpm] = useState(shown(record.rpmLimit))
  const [tpm, setTpm] = useState(shown(record.tpmLimit))
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const amount = parseUsd(cap)
  const rpmLimit = parseCount(rpm)
  const tpmLimit = parseCount(tpm)
  const nameIsGood = KeyName.safeParse(name.trim()).success
  const good = nameIsGood && amount.ok && rpmLimit.ok && tpmLimit.ok

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!nameIsGood || !amount.ok || !rpmLimit.ok || !tpmLimit.ok) return
    setPending(true)
    setError(null)
    try {
      await updateKey(record.id, {
        name: name.trim(),
        spendLimitUsd: amount.usd,
        rpmLimit: rpmLimit.count,
        tpmLimit: tpmLimit.count,
      })
      toast.success(`“${name.trim()}” was changed.`)
      onClose()
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setPending(false)
    }
  }

  const raise = (usd: number) =>
    setCap(String(Math.round(((amount.ok ? amount.usd : null) ?? 0) * 1e9 + usd * 1e9) / 1e9))

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Edit “${record.name}”`}
      description={`${formatUsd(record.spendUsd)} spent so far.`}
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div>
          <TextField
            label="Spend cap (USD)"
            value={cap}
            onChange={setCap}
            autoFocus
            inputMode="decimal"
            placeholder="No cap"
            hint="For the key’s whole life. Below what is spent already, it stops the key."
            error={amount.ok ? null : amount.message}
          />
          <div className="mt-2 flex gap-1.5">
            {STEPS_USD.map((usd) => (
              <Button key={usd} small onClick={() => raise(usd)}>
                + ${usd}
              </Button>
            ))}
            <Button small variant="quiet" onClick={() => setCap('')}>
              Remove cap
            </Button>
          </div>
        </div>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          maxLength={100}
          error={nameIsGood ? null : 'Give it a name of 1 to 100 characters.'}
        />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Requests per minute"
            value={rpm}
            onChange={setRpm}
            inputMode="numeric"
            placeholder="As the plan"
            error={rpmLimit.ok ? null : rpmLimit.message}
          />
          <TextField
            label="Tokens per minute"
            value={tpm}
            onChange={setTpm}
            inputMode="numeric"
            placeholder="As the plan"
            error={tpmLimit.ok ? null : tpmLimit.message}
          />
        </div>
        <InlineError error={error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending} disabled={!good}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
