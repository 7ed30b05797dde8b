// Owns showing a new key's secret, ready to be copied or run. Knows nothing of how it was made.
import { useState } from 'react'
import { CodeBlock } from '../../components/code-block.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { useBaseUrl, useEnabledModels } from '../../server-state/hooks.ts'
import { buildCodeSnippets } from '../../snippets/code-snippets.ts'
import { DEFAULT_BASE_URL, pickModel } from '../../snippets/snippets.ts'
import { Secret } from './secret.tsx'

export function NewSecret({ secret }: { secret: string }) {
  const baseUrl = useBaseUrl()
  const models = useEnabledModels()
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
