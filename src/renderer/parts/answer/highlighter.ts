// Tokens of code, by Shiki's grammars. Loaded with the first code block.
import { createHighlighterCore, type GrammarState, type ThemedToken } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import dark from 'shiki/themes/github-dark-high-contrast.mjs'
import light from 'shiki/themes/github-light-high-contrast.mjs'
import { findGrammar } from './grammars.ts'

/** The tokens of each line. */
export type Lines = ThemedToken[][]

/** Returns the tokens of a text. Tokens of earlier lines are not computed again when the text has only grown. */
export type Tokenize = (code: string) => Lines

const highlighter = createHighlighterCore({
  langs: [],
  // These two have enough contrast.
  themes: [light, dark],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
})

/**
 * Very long lines are not highlighted. The time limit only guards against grammars that would never end: what it cuts off,
 * for which the default of half a second suffices on a busy machine, leaves the rest of the code with wrong colors.
 */
const LIMITS = { tokenizeMaxLineLength: 5_000, tokenizeTimeLimit: 3_000 }

/** Loads a language; null for one that is not highlighted. */
export async function createTokenizer(language: string): Promise<Tokenize | null> {
  const grammar = findGrammar(language)
  if (grammar === undefined) return null
  const { codeToTokens, loadLanguage } = await highlighter
  await loadLanguage(grammar.load)
  const options = {
    ...LIMITS,
    lang: grammar.id,
    themes: { light: light.name ?? '', dark: dark.name ?? '' },
  }

  /** The whole lines of the text before, their tokens, and the state of the grammar after them. */
  let before: { text: string; lines: Lines; state: GrammarState | undefined } = emptyText
  return (code) => {
    if (!code.startsWith(before.text)) before = emptyText
    const end = code.lastIndexOf('\n') + 1
    if (end > before.text.length) {
      const added = codeToTokens(code.slice(before.text.length, end - 1), {
        ...options,
        ...resume(before.state),
      })
      before = {
        text: code.slice(0, end),
        lines: [...before.lines, ...added.tokens],
        state: added.grammarState,
      }
    }
    const last = codeToTokens(code.slice(end), { ...options, ...resume(before.state) })
    return [...before.lines, ...last.tokens]
  }
}

const emptyText = { text: '', lines: [], state: undefined }

function resume(state: GrammarState | undefined): { grammarState?: GrammarState } {
  return state === undefined ? {} : { grammarState: state }
}
