import { useState } from 'react'
import { useBaseUrl } from '../../data/hooks.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { MCP_TOOLS, type McpTool, mcpSnippets } from '../../parts/snippets/integration-snippets.ts'
import { Row } from './section.tsx'

export function McpRow() {
  const baseUrl = useBaseUrl()
  const [tool, setTool] = useState<McpTool>('claude-code')
  const { title, code } = mcpSnippets[tool](baseUrl)
  return (
    <Row
      title="MCP server"
      text="Lets an agent ask what it has spent, what is left, what a model costs and what a task would cost. Give it the key with which the tool calls models."
      below={
        <div className="mt-2">
          <CodeBlock title={title} copyLabel="Copy MCP configuration" code={code} />
        </div>
      }
    >
      <SegmentedControl<McpTool> label="Tool" value={tool} options={MCP_TOOLS} onChange={setTool} />
    </Row>
  )
}
