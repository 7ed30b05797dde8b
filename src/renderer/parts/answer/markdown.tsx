import { memo, useEffect, useState } from 'react'
import { type Components, type PluginConfig, Streamdown } from 'streamdown'
import { ExternalLink, plainElements } from '../../kit/markdown-elements.tsx'
import { HighlightedCode } from './highlighted-code.tsx'
import { normalizeMath } from './math-text.ts'

const components: Components = {
  ...plainElements,
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  img: ({ src, alt }) => (
    <ExternalLink href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</ExternalLink>
  ),
  pre: ({ children }) => <HighlightedCode>{children}</HighlightedCode>,
}

const noPlugins: PluginConfig = {}
const linkSafety = { enabled: false }

export interface MarkdownProps {
  text: string
  /** The text is still growing. */
  streaming: boolean
}

/**
 * Renders an answer. Images are shown as links, so that an answer cannot make the window fetch anything. Only the blocks
 * that changed are parsed again, also when the answer ends: a long text takes hundreds of milliseconds.
 */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const markdown = normalizeMath(text)
  const plugins = useMathPlugin(markdown.includes('$$'))
  return (
    <Streamdown
      mode="streaming"
      parseIncompleteMarkdown={streaming}
      className="markdown"
      components={components}
      plugins={plugins}
      controls={false}
      lineNumbers={false}
      linkSafety={linkSafety}
    >
      {markdown}
    </Streamdown>
  )
})

/** The plugin for mathematics, which is loaded when an answer first contains some. */
function useMathPlugin(needed: boolean): PluginConfig {
  const [plugins, setPlugins] = useState(noPlugins)
  useEffect(() => {
    if (!needed) return
    let current = true
    // Until then the source of a formula is shown.
    void import('./math-plugin.ts').then(({ math }) => current && setPlugins({ math }))
    return () => {
      current = false
    }
  }, [needed])
  return plugins
}
