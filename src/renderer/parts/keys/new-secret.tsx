import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { KeyCreated } from '../../../shared/api/keys.ts'
import { pickModel } from '../../../shared/tools/tool-models.ts'
import { useBaseUrl, useChatModels } from '../../data/hooks.ts'
import { Button } from '../../kit/button.tsx'
import { SegmentedControl } from '../../kit/controls.tsx'
import { CodeBlock, CopyButton, copyText } from '../../kit/copy.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { quoteName } from '../../kit/format.ts'
import { DEFAULT_BASE_URL } from '../snippets/build-snippets.ts'
import { buildCodeSnippets } from '../snippets/code-snippets.ts'

interface NewSecretProps {
  created: KeyCreated
  /** Offers to connect a tool with the new key. */
  connect: boolean
  onClose: () => void
}

/** Shows a secret for the only time. Unless it was copied, it asks before it closes. */
export function NewSecret({ created, connect, onClose }: NewSecretProps) {
  const [, navigate] = useLocation()
  const [copied, setCopied] = useState(false)
  const [asking, setAsking] = useState(false)
  const onCopied = () => {
    setCopied(true)
    setAsking(false)
  }
  const close = () => (copied ? onClose() : setAsking(true))
  const copyAndClose = async () => {
    if (await copyText(created.secret)) onClose()
  }
  return (
    <Dialog
      open
      ignoreOutsideClick
      wide
      onClose={close}
      title={`${quoteName(created.name)} is ready`}
      description="Copy the secret now. It is shown only once; the gateway stores only its hash."
    >
      {/* Also what is selected and copied by hand. */}
      <div onCopy={onCopied} className="flex flex-col gap-4">
        <Secret secret={created.secret} onCopied={onCopied} />
        <Snippets secret={created.secret} onCopied={onCopied} />
      </div>
      {asking ? (
        <DialogActions>
          <p role="alert" className="mr-auto min-w-0 text-warn">
            <strong className="font-semibold">Copied?</strong> The secret cannot be shown again.
          </p>
          <Button onClick={onClose}>Close without copying</Button>
          <Button variant="primary" autoFocus onClick={() => void copyAndClose()}>
            Copy and close
          </Button>
        </DialogActions>
      ) : (
        <DialogActions>
          {connect ? (
            <Button onClick={() => navigate(`/connect?key=${created.id}`)}>Connect a tool</Button>
          ) : null}
          <Button variant={copied ? 'primary' : 'secondary'} onClick={close}>
            Done
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}

function Snippets({ secret, onCopied }: { secret: string; onCopied: () => void }) {
  const baseUrl = useBaseUrl()
  const models = useChatModels()
  const [shownId, setShownId] = useState('curl')
  const all = buildCodeSnippets({ baseUrl: baseUrl ?? DEFAULT_BASE_URL, secret, model: pickModel(models) })
  const shown = all.find(({ id }) => id === shownId) ?? all[0]
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-medium">Try it</h3>
        <SegmentedControl
          label="Language"
          value={shown?.id ?? ''}
          onChange={setShownId}
          options={all.slice(0, 3).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </div>
      {shown?.blocks.map((block) => (
        <CodeBlock
          key={block.title}
          title={block.title}
          code={block.code}
          copyLabel="Copy code"
          {...(block.code.includes(secret) ? { onCopied } : {})}
        />
      ))}
    </div>
  )
}

interface SecretProps {
  secret: string
  name?: string
  onCopied?: () => void
}

/** A secret to be copied. */
export function Secret({ secret, name = 'Secret', onCopied }: SecretProps) {
  const row = useRef<HTMLDivElement>(null)
  // The form had the focus and has unmounted. Copying comes next.
  useEffect(() => row.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={row} className="flex items-center gap-2">
      <input
        readOnly
        aria-label={name}
        value={secret}
        onFocus={(event) => event.target.select()}
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-sunken px-2.5 font-mono text-sm"
      />
      <CopyButton text={secret} label="Copy secret" primary {...(onCopied ? { onCopied } : {})} />
    </div>
  )
}
