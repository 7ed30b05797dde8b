// Costs of what is not billed as plain text tokens in the standard tier, from published rates. Sources in addition to those in
// `figures.ts`:
//   openai   developers.openai.com/api/docs/pricing (tools, embeddings, audio, images) and
//            openai.com/api-priority-processing, read on 2026-11-22
//   google   ai.google.dev/gemini-api/docs/pricing and …/docs/optimization, read on 2026-11-22
import { readFigures } from './figures.ts'

export const unitFigures = readFigures(`
# openai
text-embedding-3-small | input 1_234 × 0.02 | embeddings
text-embedding-3-large | input 8_191 × 0.13 | embeddings
whisper-1 | audioSeconds 90 × 100 | 0.006 USD a minute
gpt-4o-transcribe | input 10 × 2.5, audioInput 1_400 × 6, output 300 × 10 | audio tokens
gpt-audio | input 100 × 2.5, audioInput 500 × 32, output 60 × 10, audioOutput 800 × 64 | audio in and out
tts-1 | characters 4_096 × 15 | characters
gpt-image-1.5 | input 50 × 5, imageInput 323 × 8, output 100 × 10, imageOutput 4_160 × 32 | image tokens
gpt-6-sol | input 1_000 × 2, output 100 × 10, webSearches 2 × 10_000, fileSearches 1 × 2_500 | web and file searches
gpt-6.1-sol | input 1_000 × 2, output 100 × 10, webSearches 1 × 10_000 | a web search, with the price of tokens from the catalog
gpt-5.5 | input 1_000 × 12.5, cacheRead 1_000 × 1.25, output 100 × 75 | priority | priority
gpt-5-mini-2025-08-07 | input 1_000 × 0.45, cacheRead 1_000 × 0.045, output 100 × 3.6 | priority | priority
gpt-4.1 | input 1_000 × 3.5, cacheRead 1_000 × 0.875, output 100 × 14 | priority | priority
gpt-5.5 | input 300_000 × 5, output 100 × 22.5, webSearches 1 × 10_000 | flex over 272k, with a web search | flex
# google
gemini-embedding-001 | input 2_000 × 0.15 | embeddings
gemini-3-pro-image-preview | input 20 × 2, output 30 × 12, imageOutput 1_120 × 120 | an image of 1,120 tokens
gemini-3.5-flash | input 1_000 × 1.5, output 100 × 9, webSearches 2 × 14_000 | grounding, for each search
gemini-2.5-pro | input 1_000 × 1.25, output 100 × 10, webSearches 1 × 35_000 | grounding, for the prompt
gemini-2.5-pro | input 1_000 × 0.625, output 100 × 5 | flex | flex
# mistral
mistral-embed | input 5_000 × 0.1 | embeddings
# groq
whisper-large-v3-turbo | audioSeconds 3_600 × 11.1111111111 | 0.04 USD an hour
# anthropic
claude-sonnet-5 | input 9_000 × 2, cacheWrite1h 1_000 × 4, output 500 × 10, webSearches 3 × 10_000 | web searches, one-hour write
`)
