// Logos of vendors and tools, by their names in the package.
import anthropic from '@lobehub/icons-static-svg/icons/anthropic.svg?raw'
import azure from '@lobehub/icons-static-svg/icons/azure.svg?raw'
import baseten from '@lobehub/icons-static-svg/icons/baseten.svg?raw'
import bedrock from '@lobehub/icons-static-svg/icons/bedrock.svg?raw'
import cerebras from '@lobehub/icons-static-svg/icons/cerebras.svg?raw'
import claudecode from '@lobehub/icons-static-svg/icons/claudecode.svg?raw'
import cline from '@lobehub/icons-static-svg/icons/cline.svg?raw'
import codex from '@lobehub/icons-static-svg/icons/codex.svg?raw'
import cohere from '@lobehub/icons-static-svg/icons/cohere.svg?raw'
import cursor from '@lobehub/icons-static-svg/icons/cursor.svg?raw'
import deepinfra from '@lobehub/icons-static-svg/icons/deepinfra.svg?raw'
import deepseek from '@lobehub/icons-static-svg/icons/deepseek.svg?raw'
import fireworks from '@lobehub/icons-static-svg/icons/fireworks.svg?raw'
import gemini from '@lobehub/icons-static-svg/icons/gemini.svg?raw'
import geminicli from '@lobehub/icons-static-svg/icons/geminicli.svg?raw'
import githubcopilot from '@lobehub/icons-static-svg/icons/githubcopilot.svg?raw'
import google from '@lobehub/icons-static-svg/icons/google.svg?raw'
import groq from '@lobehub/icons-static-svg/icons/groq.svg?raw'
import huggingface from '@lobehub/icons-static-svg/icons/huggingface.svg?raw'
import kilocode from '@lobehub/icons-static-svg/icons/kilocode.svg?raw'
import langchain from '@lobehub/icons-static-svg/icons/langchain.svg?raw'
import lmstudio from '@lobehub/icons-static-svg/icons/lmstudio.svg?raw'
import minimax from '@lobehub/icons-static-svg/icons/minimax.svg?raw'
import mistral from '@lobehub/icons-static-svg/icons/mistral.svg?raw'
import moonshot from '@lobehub/icons-static-svg/icons/moonshot.svg?raw'
import nebius from '@lobehub/icons-static-svg/icons/nebius.svg?raw'
import novita from '@lobehub/icons-static-svg/icons/novita.svg?raw'
import nvidia from '@lobehub/icons-static-svg/icons/nvidia.svg?raw'
import ollama from '@lobehub/icons-static-svg/icons/ollama.svg?raw'
import openai from '@lobehub/icons-static-svg/icons/openai.svg?raw'
import opencode from '@lobehub/icons-static-svg/icons/opencode.svg?raw'
import openrouter from '@lobehub/icons-static-svg/icons/openrouter.svg?raw'
import openwebui from '@lobehub/icons-static-svg/icons/openwebui.svg?raw'
import perplexity from '@lobehub/icons-static-svg/icons/perplexity.svg?raw'
import qwen from '@lobehub/icons-static-svg/icons/qwen.svg?raw'
import roocode from '@lobehub/icons-static-svg/icons/roocode.svg?raw'
import sambanova from '@lobehub/icons-static-svg/icons/sambanova.svg?raw'
import siliconcloud from '@lobehub/icons-static-svg/icons/siliconcloud.svg?raw'
import together from '@lobehub/icons-static-svg/icons/together.svg?raw'
import vercel from '@lobehub/icons-static-svg/icons/vercel.svg?raw'
import vertexai from '@lobehub/icons-static-svg/icons/vertexai.svg?raw'
import vllm from '@lobehub/icons-static-svg/icons/vllm.svg?raw'
import xai from '@lobehub/icons-static-svg/icons/xai.svg?raw'
import zai from '@lobehub/icons-static-svg/icons/zai.svg?raw'

export const logos = {
  anthropic,
  azure,
  baseten,
  bedrock,
  cerebras,
  cline,
  codex,
  claudecode,
  cohere,
  cursor,
  deepinfra,
  deepseek,
  fireworks,
  gemini,
  geminicli,
  githubcopilot,
  google,
  groq,
  huggingface,
  kilocode,
  langchain,
  lmstudio,
  minimax,
  mistral,
  moonshot,
  nebius,
  novita,
  nvidia,
  ollama,
  openai,
  opencode,
  openrouter,
  openwebui,
  perplexity,
  qwen,
  roocode,
  sambanova,
  siliconcloud,
  together,
  vercel,
  vertexai,
  vllm,
  xai,
  zai,
} as const satisfies Record<string, string>

export type LogoName = keyof typeof logos
