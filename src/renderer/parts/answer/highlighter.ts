import {
  createHighlighterCore,
  type GrammarState,
  type LanguageRegistration,
  type ThemedToken,
} from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import dark from 'shiki/themes/github-dark-high-contrast.mjs'
import light from 'shiki/themes/github-light-high-contrast.mjs'

// Tokens of code, by Shiki's grammars. Loaded with the first code block.

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

// The languages in which the code of an answer is highlighted. Each grammar is loaded when its language first appears.

interface Grammar {
  /** Shiki's id of the language. */
  id: string
  /** Other words that may follow the fence of a code block. */
  aliases: readonly string[]
  load: () => Promise<{ default: LanguageRegistration[] }>
}

const grammars: readonly Grammar[] = [
  { id: 'apache', aliases: [], load: () => import('shiki/langs/apache.mjs') },
  { id: 'asm', aliases: [], load: () => import('shiki/langs/asm.mjs') },
  { id: 'astro', aliases: [], load: () => import('shiki/langs/astro.mjs') },
  { id: 'bat', aliases: ['batch', 'cmd'], load: () => import('shiki/langs/bat.mjs') },
  { id: 'c', aliases: [], load: () => import('shiki/langs/c.mjs') },
  { id: 'clojure', aliases: ['clj'], load: () => import('shiki/langs/clojure.mjs') },
  { id: 'cmake', aliases: [], load: () => import('shiki/langs/cmake.mjs') },
  { id: 'common-lisp', aliases: ['lisp'], load: () => import('shiki/langs/common-lisp.mjs') },
  { id: 'cpp', aliases: ['c++'], load: () => import('shiki/langs/cpp.mjs') },
  { id: 'csharp', aliases: ['c#', 'cs'], load: () => import('shiki/langs/csharp.mjs') },
  { id: 'css', aliases: [], load: () => import('shiki/langs/css.mjs') },
  { id: 'csv', aliases: [], load: () => import('shiki/langs/csv.mjs') },
  { id: 'dart', aliases: [], load: () => import('shiki/langs/dart.mjs') },
  { id: 'diff', aliases: ['patch'], load: () => import('shiki/langs/diff.mjs') },
  { id: 'docker', aliases: ['dockerfile', 'containerfile'], load: () => import('shiki/langs/docker.mjs') },
  { id: 'dotenv', aliases: [], load: () => import('shiki/langs/dotenv.mjs') },
  { id: 'elixir', aliases: [], load: () => import('shiki/langs/elixir.mjs') },
  { id: 'erlang', aliases: ['erl'], load: () => import('shiki/langs/erlang.mjs') },
  { id: 'fsharp', aliases: ['f#', 'fs'], load: () => import('shiki/langs/fsharp.mjs') },
  { id: 'go', aliases: ['golang'], load: () => import('shiki/langs/go.mjs') },
  { id: 'graphql', aliases: ['gql'], load: () => import('shiki/langs/graphql.mjs') },
  { id: 'groovy', aliases: [], load: () => import('shiki/langs/groovy.mjs') },
  { id: 'handlebars', aliases: ['hbs'], load: () => import('shiki/langs/handlebars.mjs') },
  { id: 'haskell', aliases: ['hs'], load: () => import('shiki/langs/haskell.mjs') },
  { id: 'hcl', aliases: [], load: () => import('shiki/langs/hcl.mjs') },
  { id: 'html', aliases: [], load: () => import('shiki/langs/html.mjs') },
  { id: 'http', aliases: [], load: () => import('shiki/langs/http.mjs') },
  { id: 'ini', aliases: ['properties'], load: () => import('shiki/langs/ini.mjs') },
  { id: 'java', aliases: [], load: () => import('shiki/langs/java.mjs') },
  { id: 'javascript', aliases: ['js', 'cjs', 'mjs'], load: () => import('shiki/langs/javascript.mjs') },
  { id: 'jinja', aliases: [], load: () => import('shiki/langs/jinja.mjs') },
  { id: 'json', aliases: [], load: () => import('shiki/langs/json.mjs') },
  { id: 'json5', aliases: [], load: () => import('shiki/langs/json5.mjs') },
  { id: 'jsonc', aliases: [], load: () => import('shiki/langs/jsonc.mjs') },
  { id: 'jsx', aliases: [], load: () => import('shiki/langs/jsx.mjs') },
  { id: 'julia', aliases: ['jl'], load: () => import('shiki/langs/julia.mjs') },
  { id: 'kotlin', aliases: ['kt', 'kts'], load: () => import('shiki/langs/kotlin.mjs') },
  { id: 'latex', aliases: ['tex'], load: () => import('shiki/langs/latex.mjs') },
  { id: 'less', aliases: [], load: () => import('shiki/langs/less.mjs') },
  { id: 'log', aliases: [], load: () => import('shiki/langs/log.mjs') },
  { id: 'lua', aliases: [], load: () => import('shiki/langs/lua.mjs') },
  { id: 'make', aliases: ['makefile'], load: () => import('shiki/langs/make.mjs') },
  { id: 'markdown', aliases: ['md'], load: () => import('shiki/langs/markdown.mjs') },
  { id: 'matlab', aliases: [], load: () => import('shiki/langs/matlab.mjs') },
  { id: 'mermaid', aliases: ['mmd'], load: () => import('shiki/langs/mermaid.mjs') },
  { id: 'nginx', aliases: ['nginxconf'], load: () => import('shiki/langs/nginx.mjs') },
  { id: 'nix', aliases: [], load: () => import('shiki/langs/nix.mjs') },
  { id: 'objective-c', aliases: ['objc'], load: () => import('shiki/langs/objective-c.mjs') },
  { id: 'ocaml', aliases: [], load: () => import('shiki/langs/ocaml.mjs') },
  { id: 'perl', aliases: [], load: () => import('shiki/langs/perl.mjs') },
  { id: 'php', aliases: [], load: () => import('shiki/langs/php.mjs') },
  { id: 'powershell', aliases: ['ps', 'ps1', 'pwsh'], load: () => import('shiki/langs/powershell.mjs') },
  { id: 'prisma', aliases: [], load: () => import('shiki/langs/prisma.mjs') },
  { id: 'proto', aliases: ['protobuf'], load: () => import('shiki/langs/proto.mjs') },
  { id: 'python', aliases: ['py', 'python3'], load: () => import('shiki/langs/python.mjs') },
  { id: 'r', aliases: [], load: () => import('shiki/langs/r.mjs') },
  { id: 'regexp', aliases: ['regex'], load: () => import('shiki/langs/regexp.mjs') },
  { id: 'ruby', aliases: ['rb'], load: () => import('shiki/langs/ruby.mjs') },
  { id: 'rust', aliases: ['rs'], load: () => import('shiki/langs/rust.mjs') },
  { id: 'scala', aliases: [], load: () => import('shiki/langs/scala.mjs') },
  { id: 'scheme', aliases: [], load: () => import('shiki/langs/scheme.mjs') },
  { id: 'scss', aliases: [], load: () => import('shiki/langs/scss.mjs') },
  {
    id: 'shellscript',
    aliases: ['bash', 'sh', 'shell', 'zsh'],
    load: () => import('shiki/langs/shellscript.mjs'),
  },
  { id: 'shellsession', aliases: ['console'], load: () => import('shiki/langs/shellsession.mjs') },
  { id: 'solidity', aliases: [], load: () => import('shiki/langs/solidity.mjs') },
  { id: 'sql', aliases: [], load: () => import('shiki/langs/sql.mjs') },
  { id: 'svelte', aliases: [], load: () => import('shiki/langs/svelte.mjs') },
  { id: 'swift', aliases: [], load: () => import('shiki/langs/swift.mjs') },
  { id: 'terraform', aliases: ['tf', 'tfvars'], load: () => import('shiki/langs/terraform.mjs') },
  { id: 'toml', aliases: [], load: () => import('shiki/langs/toml.mjs') },
  { id: 'tsx', aliases: [], load: () => import('shiki/langs/tsx.mjs') },
  { id: 'typescript', aliases: ['ts', 'cts', 'mts'], load: () => import('shiki/langs/typescript.mjs') },
  { id: 'vb', aliases: [], load: () => import('shiki/langs/vb.mjs') },
  { id: 'viml', aliases: ['vim', 'vimscript'], load: () => import('shiki/langs/viml.mjs') },
  { id: 'vue', aliases: [], load: () => import('shiki/langs/vue.mjs') },
  { id: 'wasm', aliases: [], load: () => import('shiki/langs/wasm.mjs') },
  { id: 'xml', aliases: [], load: () => import('shiki/langs/xml.mjs') },
  { id: 'yaml', aliases: ['yml'], load: () => import('shiki/langs/yaml.mjs') },
  { id: 'zig', aliases: [], load: () => import('shiki/langs/zig.mjs') },
]

const byName = new Map(
  grammars.flatMap((grammar) => [grammar.id, ...grammar.aliases].map((name) => [name, grammar])),
)

/** The grammar of the language that a code block names; undefined for one that is not highlighted. */
function findGrammar(name: string): Grammar | undefined {
  return byName.get(name)
}
