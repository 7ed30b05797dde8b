import { useEffect, useRef, useState } from 'react'
import { pickModel } from '../../../shared/tool-models.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { useBaseUrl, useChatModels } from '../../server-state/hooks.ts'
import { buildCodeSnippets } from '../../snippets/code-snippets.ts'
import { DEFAULT_BASE_URL } from '../../snippets/snippets.ts'

export function NewSecret({ secret }: { secret: string }) {
  const baseUrl = useBaseUrl()
  const models = useChatModels()
  const [shownId, setShownId] = useState('curl')
  const all = buildCodeSnippets({ baseUrl: baseUrl ?? DEFAULT_BASE_URL, secret, model: pickModel(models) })
  const shown = all.find(({ id }) => id === shownId) ?? all[0]
  return (
    <div className="flex flex-col gap-4">
      <Secret secret={secret} />
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
          <CodeBlock key={block.title} title={block.title} code={block.code} copyLabel="Copy code" />
        ))}
      </div>
    </div>
  )
}

/** A secret to be copied. */
export function Secret({ secret }: { secret: string }) {
  const row = useRef<HTMLDivElement>(null)
  // The form had the focus and has unmounted. Copying comes next.
  useEffect(() => row.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={row} className="flex items-center gap-2">
      <input
        readOnly
        aria-label="Secret"
        value={secret}
        onFocus={(event) => event.target.select()}
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-sunken px-2.5 font-mono text-sm"
      />
      <CopyButton text={secret} label="Copy secret" primary />
    </div>
  )
}
