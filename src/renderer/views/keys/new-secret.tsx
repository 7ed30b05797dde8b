// Owns showing a new key's secret, ready to be copied or run. Knows nothing of how it was made.
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { useBaseUrl } from '../../stores/gateway.ts'
import { useModels } from '../../stores/models.ts'
import { pickModel, snippets } from '../connect/snippets.ts'

export function NewSecret({ secret }: { secret: string }) {
  const baseUrl = useBaseUrl()
  const models = useModels((store) => store.models)
  const first = snippets({
    baseUrl: baseUrl ?? 'http://127.0.0.1:8655/v1',
    secret,
    model: pickModel(models),
  }).at(0)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <input
          readOnly
          aria-label="Secret"
          value={secret}
          onFocus={(event) => event.target.select()}
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-sunken px-2.5 font-mono text-sm"
        />
        <CopyButton text={secret} label="Copy secret" primary />
      </div>
      {first?.blocks.map((block) => (
        <CodeBlock
          key={block.title}
          title="Try it in a terminal"
          code={block.code}
          copyLabel="Copy command"
        />
      ))}
    </div>
  )
}
