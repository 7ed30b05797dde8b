import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { describeModels } from '../../../shared/tools/tool-models.ts'
import { SECRET_PLACEHOLDER } from '../../../shared/tools/tool-setup.ts'
import { useBaseUrl, useChatModels } from '../../data/hooks.ts'
import { useNewSecrets } from '../../data/new-secrets.ts'
import { queries } from '../../data/queries.ts'
import { quoteName } from '../../kit/quote-name.ts'
import { Select } from '../../kit/select.tsx'
import { FirstRequest } from '../../parts/arrival/first-request.tsx'
import { buildSnippets, DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import { SnippetBlocks } from '../../parts/snippets/snippet-blocks.tsx'

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
            Put the secret of {quoteName(keyName)} in place of{' '}
            <code className="font-mono">{SECRET_PLACEHOLDER}</code>.
          </p>
        ) : null}
        <SnippetBlocks blocks={tool.blocks} />
        {tool.caution ? <p className="text-ink-2">{tool.caution}</p> : null}
      </div>
      <FirstRequest keyId={keyId} keyName={keyName} since={lastUsedAt} />
    </div>
  )
}
