import { expect, it } from 'vitest'
import { answerText, requestOf } from './testing/ask-sandbox.ts'
import { findTollgateTopic, topics } from './topics.ts'

it.each(topics.map((topic) => [topic.example, topic] as const))('answers %j', async (question, topic) => {
  expect(findTollgateTopic(question)).toBe(topic)
  expect(findTollgateTopic(question.toLowerCase().replace('?', ''))).toBe(topic)
  const text = await answerText(requestOf(question))
  expect(text).toContain(topic.answer)
  expect(text).toContain('This request costs about')
})

it.each([
  ['how can i limit what an agent spends', 'How do I set a cap?'],
  ['set a budget', 'How do I set a cap?'],
  ['can I use LM Studio?', 'How do I add Ollama?'],
  ['how to connect codex', 'How do I use Codex with Tollgate?'],
  ['what do you log?', 'Are my prompts stored?'],
  ['do you store my messages', 'Are my prompts stored?'],
  ['is my api key safe?', 'Where are keys stored?'],
  ['how much does this cost', 'What does Tollgate cost?'],
  ['is this free?', 'What does Tollgate cost?'],
  ['How do I use it from a container?', 'How do I connect from Docker?'],
  ['I get 401 Unauthorized', 'What does error 401 mean?'],
  ['what is this', 'What is Tollgate?'],
  ['who are you?', 'What is Tollgate?'],
  ['help', 'What is Tollgate?'],
  ['which models can I call?', 'Which models are there?'],
  ['how do I use OpenAI', 'How do I add a provider?'],
])('answers %j as %j', (question, example) => {
  expect(findTollgateTopic(question)?.example).toBe(example)
})

it.each([
  'What is the capital of France?',
  'Write a Python function that opens a database cursor.',
  'Explain how computer networks work',
  'Tell me about railways in Switzerland',
  'What is free will?',
  'A list of animals in the Arctic',
  'Translate "bottle cap" into German',
  `Our style guide follows. ${'Prompts are stored in a table. '.repeat(10)}`,
])('does not take %j for a question about Tollgate', (question) => {
  expect(findTollgateTopic(question)).toBeNull()
})

it('has no code, tags or commands in its answers', () => {
  for (const { answer } of topics) {
    expect(answer).not.toMatch(/```|~~~|[<>{}]|\[\[|\b(Action|Thought|Observation):/)
  }
})
