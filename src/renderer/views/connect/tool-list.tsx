import { TriangleAlert } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { CodeBlock } from '../../components/code-block.tsx'
import type { Snippet, SnippetGroup } from '../../snippets/snippet.ts'

const groups: readonly { id: SnippetGroup; name: string }[] = [
  { id: 'code', name: 'Code' },
  { id: 'editor', name: 'Editors and agents' },
  { id: 'chat', name: 'Chat apps' },
]

interface ToolListProps {
  tools: readonly Snippet[]
  value: string
  onChange: (id: string) => void
}

export function ToolList({ tools, value, onChange }: ToolListProps) {
  return (
    <Tabs.Root
      orientation="vertical"
      value={value}
      onValueChange={onChange}
      className="grid grid-cols-[11rem_1fr] items-start"
    >
      <Tabs.List aria-label="Tools" className="flex flex-col border-line border-r p-2">
        {groups.map((group) => (
          <div key={group.id} role="presentation" className="flex flex-col pb-2 last:pb-0">
            <p aria-hidden className="px-2.5 pt-1.5 pb-1 font-medium text-ink-3 text-xs">
              {group.name}
            </p>
            {tools
              .filter((tool) => tool.group === group.id)
              .map((tool) => (
                <Tabs.Trigger
                  key={tool.id}
                  value={tool.id}
                  className="h-8 truncate rounded-md px-2.5 text-left font-medium text-ink-2 hover:bg-sunken data-[state=active]:bg-accent-soft data-[state=active]:text-accent-ink"
                >
                  {tool.name}
                </Tabs.Trigger>
              ))}
          </div>
        ))}
      </Tabs.List>
      {tools.map((tool) => (
        <Tabs.Content
          key={tool.id}
          value={tool.id}
          className="sticky top-0 flex min-w-0 flex-col gap-3 p-4 -outline-offset-2"
        >
          {tool.intro ? <p className="max-w-2xl text-ink-2">{tool.intro}</p> : null}
          {tool.blocks.map((block) => (
            <CodeBlock
              key={block.title}
              title={block.title}
              code={block.code}
              copyLabel={`Copy ${block.title}`}
            />
          ))}
          {tool.caution ? (
            <p className="flex gap-2 text-ink-2">
              <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0 text-warn" />
              {tool.caution}
            </p>
          ) : null}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
