import { useQuery } from '@tanstack/react-query'
import { CirclePause, CirclePlus, Play, Trash2 } from 'lucide-react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { KeyRules } from '../../../features/rules/view/rule-effects.tsx'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { limitsThatStop, RAISE_USD } from '../../../shared/limits/limits.ts'
import { resumeKey, updateKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Fact, Facts } from '../../kit/facts.tsx'
import { formatOver, formatUsd, quoteName } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { scopeLabel } from '../../parts/keys/key-draft.ts'
import { KeyForm } from '../../parts/keys/key-form.tsx'
import { HeldLink } from '../../parts/limits/held-link.tsx'
import { describeRaise, raiseAndResume } from '../../parts/pausing/pausing.ts'
import { formatSecretHint } from './key-columns.tsx'

interface KeyDetailsProps {
  record: KeyMetadata
  onClose: () => void
  onRevoke: () => void
}

/** The details of a key, and, unless it is revoked, the form that changes it. */
export function KeyDetails({ record, onClose, onRevoke }: KeyDetailsProps) {
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={record.name}
      {...(record.revokedAt === null
        ? {}
        : { description: 'This key is revoked. Requests with it are rejected, and it cannot be restored.' })}
    >
      <div className="flex flex-col gap-5">
        {record.revokedAt === null ? <PausedKey record={record} onRevoke={onRevoke} /> : null}
        <KeyFacts record={record} />
        {record.revokedAt === null && record.scope !== 'admin' ? <KeyRules keyId={record.id} /> : null}
        {record.revokedAt === null ? (
          <KeyForm
            initial={record}
            record={record}
            action="Save"
            save={async (fields) => {
              await updateKey(record.id, fields)
              toast.success(`${quoteName(fields.name)} was saved.`)
              onClose()
            }}
            onClose={onClose}
          />
        ) : null}
      </div>
    </Dialog>
  )
}

function KeyFacts({ record }: { record: KeyMetadata }) {
  const over = record.spendLimitUsd === null ? null : formatOver(record.spendUsd, record.spendLimitUsd)
  const secret = formatSecretHint(record)
  return (
    <div className="rounded-lg bg-sunken px-3.5 py-3">
      <Facts columns="grid-cols-[88px_1fr] items-baseline gap-y-1">
        <Fact name="Use">
          {record.purpose === 'playground' && 'For the chats of the playground. It has no secret.'}
        </Fact>
        <Fact name="Secret" className="font-mono text-sm">
          {secret}
        </Fact>
        <Fact name="Scope">{scopeLabel(record.scope)}</Fact>
        <Fact name="Spent">
          <Money usd={record.spendUsd} />
          {over === null ? '' : `, ${over} the cap of ${formatUsd(record.spendLimitUsd ?? 0)}`}
          {record.reservedUsd > 0 ? `, ${formatUsd(record.reservedUsd)} reserved` : ''}
        </Fact>
        <Fact name="Strict">{record.strict && 'Yes'}</Fact>
        <Fact name="Last used">{record.lastUsedAt ? <RelativeTime iso={record.lastUsedAt} /> : 'Never'}</Fact>
        <Fact name="Created">
          <RelativeTime iso={record.createdAt} />
        </Fact>
        <Fact name="Revoked">{record.revokedAt && <RelativeTime iso={record.revokedAt} />}</Fact>
        <Fact name="ID" className="-my-1 flex min-w-0 items-center gap-1">
          <span className="truncate font-mono text-sm">{record.id}</span>
          <CopyIconButton text={record.id} label="Copy key ID" />
        </Fact>
      </Facts>
      <p className="mt-2 flex gap-4 font-medium text-accent-ink text-sm [&>a:hover]:underline">
        <Link href={`/requests?key=${record.id}`}>View requests</Link>
        <Link href={`/usage?key=${record.id}`}>View usage</Link>
        {record.reservedUsd > 0 ? <HeldLink keyId={record.id} /> : null}
      </p>
    </div>
  )
}

interface PausedKeyProps {
  record: KeyMetadata
  onRevoke: () => void
}

/** Why a key is paused, and what the user can do about it. Nothing for other keys. */
export function PausedKey({ record, onRevoke }: PausedKeyProps) {
  const { data: account = null } = useQuery(queries.account)
  const { pending, error, submit } = useSubmit()
  const { id, name, pausedAt, pauseReason } = record
  if (pausedAt === null) return null
  const resume = () =>
    submit(async () => {
      await resumeKey(id)
      toast.success(`${quoteName(name)} works again.`)
    })
  const stopping = limitsThatStop(record, account)
  const raise = () => submit(() => raiseAndResume(record, account))
  return (
    <section
      aria-label="Pause"
      className="flex flex-col gap-2.5 rounded-lg bg-warn-soft px-3.5 py-3 text-warn"
    >
      <div className="flex items-start gap-2.5">
        <CirclePause size={15} aria-hidden className="mt-0.5 shrink-0" />
        <p className="min-w-0">
          <strong className="font-semibold">
            Paused <RelativeTime iso={pausedAt} />.
          </strong>{' '}
          {pauseReason ?? 'No request with this key is sent to a model.'}
        </p>
      </div>
      <div className="flex flex-wrap gap-2 pl-6 text-ink">
        {stopping.length > 0 ? (
          <Button small icon={CirclePlus} disabled={pending} onClick={() => void raise()}>
            {`Raise by $${RAISE_USD}`}
          </Button>
        ) : null}
        <Button small icon={Play} pending={pending} onClick={() => void resume()}>
          Resume
        </Button>
        <Button small icon={Trash2} disabled={pending} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
      {stopping.length > 0 ? (
        <p className="pl-6 text-ink-2 text-sm">{`If you raise it by $${RAISE_USD}, ${describeRaise(stopping)}.`}</p>
      ) : null}
      <InlineError error={error} />
    </section>
  )
}
