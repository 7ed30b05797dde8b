// Loading the vocabulary takes a fifth of a second and tens of megabytes, and unusual texts take seconds to count: none
// of that may stop the thread that serves requests.
import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

parentPort?.on('message', (text: string) => {
  // A prompt that spells out a control token holds text that looks like one.
  parentPort?.postMessage(countTokens(text, { disallowedSpecial: new Set() }))
})
