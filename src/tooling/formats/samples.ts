// Values that several API formats' features share.
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PDF = 'JVBERi0xLjEKJSVFT0YK'
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEA'
export const IMAGE_URL = 'https://images.example/cat.png'

/** A text that occurs nowhere else in a request. */
export const MARK = 'an-example'

export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
