import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { z } from 'zod'
import { GuardOffer } from '../../../features/rules/view/guard-offer.tsx'
import type { KeyCreated, KeyMetadata } from '../../../shared/api/keys.ts'
import { describeModels, pickModel } from '../../../shared/tools/tool-models.ts'
import { SECRET_PLACEHOLDER } from '../../../shared/tools/tool-setup.ts'
import { useBaseUrl, useChatModels } from '../../data/hooks.ts'
import { createKey, useNewSecrets } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { useForm } from '../../kit/form.tsx'
import { quoteName } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { Card } from '../../kit/page.tsx'
import { Select } from '../../kit/select.tsx'
import { Answer } from '../../parts/answer/answer.tsx'
import { FirstRequest } from '../../parts/arrival/arrival.tsx'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { setAddProviderOpen } from '../../parts/controls/add-provider.ts'
import { NewKey } from '../../parts/keys/key-draft.ts'
import { Secret } from '../../parts/keys/new-secret.tsx'
import { DEFAULT_CAP_USD } from '../../parts/limits/default-cap.ts'
import { buildSnippets, DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import { SnippetBlocks } from '../../parts/snippets/snippet-blocks.tsx'

interface FirstStepsCardProps {
  /** A model has answered. */
  tried: boolean
  keysForTools: readonly KeyMetadata[]
  /** A tool has used one of them. */
  connected: boolean
  onStepTaken: () => void
  onDismiss: () => void
}

export function FirstStepsCard({
  tried,
  keysForTools,
  connected,
  onStepTaken,
  onDismiss,
}: FirstStepsCardProps) {
  const [asked, setAsked] = useState(false)
  const [created, setCreated] = useState<KeyCreated | null>(null)
  const hasKey = keysForTools.length > 0
  const toolKey = created ?? keysForTools[0] ?? null
  return (
    <Card>
      <header className="flex items-center justify-between gap-4 px-5 pt-4">
        <div>
          <h2 className="font-semibold text-lg">Get started in three steps</h2>
          <p className="text-ink-2">Nothing leaves this computer until you connect a provider.</p>
        </div>
        <IconButton label="Dismiss" icon={X} small className="self-start" onClick={onDismiss} />
      </header>
      <ol className="flex flex-col gap-5 px-5 pt-4 pb-5">
        <Step number={1} title="Try a model" done={tried} open={!tried || asked} next={!tried}>
          <TryStep
            onAsk={() => {
              setAsked(true)
              onStepTaken()
            }}
          />
        </Step>
        <Step
          number={2}
          title="Create a key"
          done={hasKey}
          open={!hasKey || created !== null}
          next={tried && !hasKey}
        >
          <KeyStep
            created={created}
            onCreated={(key) => {
              setCreated(key)
              onStepTaken()
            }}
          />
        </Step>
        <Step number={3} title="Connect a tool" done={connected} open next={tried && hasKey && !connected}>
          {toolKey ? (
            <ToolStep keyId={toolKey.id} keyName={toolKey.name} />
          ) : (
            <p className="text-ink-2">Your setup snippet appears here after you create a key.</p>
          )}
        </Step>
      </ol>
      <GuardOffer />
    </Card>
  )
}

interface StepProps {
  number: number
  title: string
  done: boolean
  open: boolean
  /** The step to do now. */
  next: boolean
  children: ReactNode
}

function Step({ number, title, done, open, next, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        className={cn(
          'flex size-6 shrink-0 items-center justify-center rounded-full font-semibold text-sm',
          done ? 'bg-good-soft text-good' : next ? 'bg-accent text-white' : 'bg-sunken text-ink-2',
        )}
      >
        {done ? <Check size={13} aria-hidden /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className={cn('font-medium leading-6', done && !open && 'text-ink-2')}>
          {title}
          {done ? <span className="sr-only">(done)</span> : null}
        </h3>
        {open ? children : null}
      </div>
    </li>
  )
}

export function ToolStep({ keyId, keyName }: { keyId: string; keyName: string }) {
  const baseUrl = useBaseUrl()
  const secret = useNewSecrets(({ secrets }) => secrets[keyId])
  const { data: keys } = useQuery(queries.keys)
  const lastUsedAt = keys?.find(({ id }) => id === keyId)?.lastUsedAt ?? null
  const models = useChatModels()
  const [toolId, setToolId] = useState('curl')
  const all = buildSnippets({
    baseUrl: baseUrl ?? DEFAULT_BASE_URL,
    secret: secret ?? SECRET_PLACEHOLDER,
    ...describeModels(models, toolId, null),
  })
  const tool = all.find(({ id }) => id === toolId) ?? all[0]
  if (!tool) return null
  const placeholder = <code className="font-mono">{SECRET_PLACEHOLDER}</code>
  return (
    <div className="max-w-3xl">
      <div className="mt-1 mb-2.5 flex flex-wrap items-center gap-2">
        <Select
          small
          label="Tool"
          value={tool.id}
          options={all.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setToolId}
        />
        <Link href={`/connect?tool=${tool.id}&key=${keyId}`} className="text-accent-ink hover:underline">
          Full setup
        </Link>
      </div>
      <div className="flex flex-col gap-3">
        {tool.intro ? <p className="text-ink-2">{tool.intro}</p> : null}
        {secret === undefined ? (
          <p className="text-ink-2">
            Replace {placeholder} with the secret of {quoteName(keyName)}.
          </p>
        ) : null}
        <SnippetBlocks blocks={tool.blocks} />
        {tool.caution ? <p className="text-ink-2">{tool.caution}</p> : null}
      </div>
      <FirstRequest keyId={keyId} keyName={keyName} since={lastUsedAt} />
    </div>
  )
}

const QUESTION = 'What can you do for me?'

export function TryStep({ onAsk }: { onAsk: () => void }) {
  const models = useChatModels()
  const { startChat, send, streaming } = usePlayground()
  const [chatId, setChatId] = useState<string | null>(null)
  const model = models.length > 0 ? pickModel(models) : ''
  const sandbox = model.startsWith('sandbox')
  const ask = () => {
    startChat(model)
    setChatId(usePlayground.getState().currentId)
    onAsk()
    void send({ text: QUESTION })
  }
  return (
    <>
      <p className="text-ink-2">
        {sandbox
          ? 'The sandbox answers immediately, on this computer, without an account. It streams and counts tokens as a real model would; its costs are samples and count in no total.'
          : `${model || 'A model'} answers, and you see what it cost.`}
      </p>
      {chatId === null ? (
        <div className="mt-2.5 flex flex-wrap gap-2">
          <Button variant="primary" disabled={model === '' || streaming} onClick={ask}>
            {sandbox ? 'Try the sandbox' : `Ask ${model}`}
          </Button>
          <Button onClick={() => setAddProviderOpen(true)}>Connect a provider</Button>
        </div>
      ) : (
        <div className="mt-2.5 rounded-lg border border-line bg-canvas px-4 py-3">
          <p className="mb-2 text-ink-3">{QUESTION}</p>
          <QuickAnswer chatId={chatId} />
          <Link href="/playground" className="font-medium text-accent-ink hover:underline">
            Continue in the playground
          </Link>
        </div>
      )}
    </>
  )
}

function QuickAnswer({ chatId }: { chatId: string }) {
  const answer = usePlayground(({ chats }) =>
    chats.find(({ id }) => id === chatId)?.exchanges[0]?.answers.at(-1),
  )
  if (!answer) return null
  return <Answer answer={answer} />
}

interface KeyStepProps {
  created: KeyCreated | null
  onCreated: (key: KeyCreated) => void
}

export function KeyStep({ created, onCreated }: KeyStepProps) {
  const form = useForm(NewKey, () => ({ name: 'My first tool', spendLimitUsd: String(DEFAULT_CAP_USD) }))
  if (created) {
    return (
      <div className="mt-1 max-w-2xl">
        <p className="mb-2 text-ink-2">{`Copy the secret of ${quoteName(created.name)} now: the gateway stores only its hash.`}</p>
        <Secret secret={created.secret} />
      </div>
    )
  }
  const create = ({ name, spendLimitUsd }: z.output<typeof NewKey>) =>
    createKey({ name, scope: 'completions-only', ...(spendLimitUsd === null ? {} : { spendLimitUsd }) })
  return (
    <>
      <p className="text-ink-2">Create one for each tool. Its requests stop once its cap is spent.</p>
      <form onSubmit={form.onSubmit(create, onCreated)} className="mt-2.5 flex flex-wrap items-start gap-3">
        {form.field('name', { className: 'w-56' })}
        {form.field('spendLimitUsd', { className: 'w-32' })}
        <Button type="submit" pending={form.pending} className="mt-[22px]">
          Create key
        </Button>
      </form>
      <InlineError error={form.isFieldError ? null : form.error} />
    </>
  )
}
